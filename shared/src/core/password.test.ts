import { describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { isCommonPassword, judgePassword } from "./password.ts";

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

describe("judgePassword", () => {
  const words = ["ann.miller@beanandleaf.example", "Ann Miller", "Bean & Leaf"];

  it.each(data<string[]>("core-password", "guesses"))("guesses %j", (password) => {
    expect(judgePassword(password, words).isWeak).toBe(true);
  });

  it.each(["correct horse battery staple", "a good long password", "9182736455 apples", "kV8#tq-Zr2!m", "😀🎈🌍🧩🚲🪁🐙🧭🥝🛶"])(
    "does not guess %j",
    (password) => {
      expect(judgePassword(password, words).isWeak).toBe(false);
    },
  );
});
