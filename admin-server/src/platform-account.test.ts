import { expect, test } from "vitest";
import { secretHint } from "./platform-account.ts";

test.each([
  ["", ""],
  ["abc", ""],
  ["abcdefg", ""],
  ["abcdefgh", "efgh"],
  ["abcdefghijklmnopqrstuvwxyz", "wxyz"],
])("%j is hinted at by %j", (secret, hint) => {
  expect(secretHint(secret)).toBe(hint);
});
