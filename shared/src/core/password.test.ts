import { describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { judgePassword } from "./password.ts";

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
