import fc from "fast-check";
import { expect, test } from "vitest";
import { hostileText } from "../../../../../test/support/arbitrary/hostile-json.ts";
import { cleanUrlValue } from "./clean-url-value.ts";

const fixed = "https://shop.example/t/";

test.each([
  ["77", "77"],
  ["https://shop.example/t/77?k=a&b=c#d", "77?k=a&b=c#d"],
  [" https://shop.example/t/77 ", "77"],
  ["https://shop.example/t/https://shop.example/t/77", "https://shop.example/t/77"],
  ["https://other.example/77", "https://other.example/77"],
  ["a b", "a%20b"],
  ["Größe", "Gr%C3%B6%C3%9Fe"],
  ["😀", "%F0%9F%98%80"],
  ["a%20b", "a%20b"],
  ["100%", "100%25"],
  ["%zz%C3", "%25zz%C3"],
  ["%4g%", "%254g%25"],
  ['a"<>\\^`{}[]|b', "a%22%3C%3E%5C%5E%60%7B%7D%5B%5D%7Cb"],
  ["a-._~:/?#@!$&'()*+,;=b", "a-._~:/?#@!$&'()*+,;=b"],
  ["a\nb", "a%20%7C%20b"],
  ["\ud800", "%EF%BF%BD"],
  [fixed, ""],
  [" ", ""],
])("%j is sent as %j", (value, sent) => {
  expect(cleanUrlValue(value, fixed)).toBe(sent);
});

test("never throws, and leaves nothing but legal URL characters", () => {
  fc.assert(
    fc.property(hostileText, (value) => {
      expect(cleanUrlValue(value, fixed)).toMatch(/^(?:[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/);
    }),
    { seed: 7, numRuns: 1000 },
  );
});
