import { expect, test } from "vitest";
import { secretHint } from "./secret-hint.ts";

test.each([
  ["", ""],
  ["abc", ""],
  ["abcd", "d"],
  ["abcdefghijklmno", "mno"],
  ["abcdefghijklmnop", "mnop"],
  ["abcdefghijklmnopqrstuvwxyz", "wxyz"],
])("%j is hinted at by %j", (secret, hint) => {
  expect(secretHint(secret)).toBe(hint);
});
