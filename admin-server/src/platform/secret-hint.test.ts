import { expect, test } from "vitest";
import { secretHint } from "./secret-hint.ts";

test.each([
  ["", ""],
  ["abc", ""],
  ["abcdefg", ""],
  ["abcdefgh", "efgh"],
  ["abcdefghijklmnopqrstuvwxyz", "wxyz"],
])("%j is hinted at by %j", (secret, hint) => {
  expect(secretHint(secret)).toBe(hint);
});
