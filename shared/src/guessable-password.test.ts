import { describe, expect, it } from "vitest";
import { data } from "../../test/support/data.ts";
import { isCommonPassword } from "./guessable-password.ts";

describe("isCommonPassword", () => {
  it.each(data<string[]>("core-password", "knows"))("knows %j", (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each(["correct horse battery staple", "a good long password", "9182736455 apples", "aaaaaaaaab", "ababababab"])(
    "lets %j pass",
    (password) => {
      expect(isCommonPassword(password)).toBe(false);
    },
  );
});
