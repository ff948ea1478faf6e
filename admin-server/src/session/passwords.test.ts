import { describe, expect, it } from "vitest";
import { isCommonPassword } from "./passwords.ts";

describe("isCommonPassword", () => {
  it.each([
    "password123",
    "Password1234",
    "1234567890",
    "qwertyuiop",
    "0123456789",
    "0987654321",
    "abcdefghijkl",
    "zzzzzzzzzzzz",
    "           ",
  ])("knows %j", (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each(["correct horse battery staple", "a good long password", "9182736455 apples", "aaaaaaaaab", "ababababab"])(
    "lets %j pass",
    (password) => {
      expect(isCommonPassword(password)).toBe(false);
    },
  );
});
