import fc from "fast-check";
import { expect, test } from "vitest";
import { hostileText } from "../../../../../test/support/arbitrary/hostile-json.ts";
import { cleanText } from "./clean-text.ts";

test.each([
  ["plain", "plain"],
  ["a\nb", "a | b"],
  ["a\r\nb", "a | b"],
  ["a\rb", "a | b"],
  ["a\tb", "a | b"],
  ["a\u2028b\u2029c\x85d\ve\ff", "a | b | c | d | e | f"],
  ["a\n\n \n\tb", "a | b"],
  ["\nfoo\n", "foo"],
  ["  a    b  ", "a b"],
  ["a \n b", "a | b"],
  ["a\u00a0b", "a\u00a0b"],
  ["a\u00a0 \u00a0b", "a b"],
  ["| a |", "| a |"],
  ["a\0b\x07c\x7fd\x9be", "abcde"],
  ["cut \ud83d", "cut \ufffd"],
  ["👩‍👩‍👧 ok", "👩‍👩‍👧 ok"],
  ["", ""],
  [" \n\t ", ""],
  ["\u200b \u200d", ""],
  ["\0", ""],
])("%j is sent as %j", (value, sent) => {
  expect(cleanText(value)).toBe(sent);
});

test("what is left is what the platform takes, and stays when cleaned again", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(hostileText, (value) => {
      const sent = cleanText(value);
      expect(sent).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]|\p{Zs}{2}|^\s|\s$/u);
      expect(cleanText(sent)).toBe(sent);
    }),
    { seed: 6, numRuns: 2000 },
  );
});

test.each([" ", "\n", "\ud800", "\0", "a\n", " \n"])("a megabyte of %j does not hold anything up", (part) => {
  expect(cleanText(part.repeat(2 ** 20 / part.length))).not.toMatch(/\n/);
});
