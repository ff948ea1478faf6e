import { judgePassword } from "shared/core/password";
import { expect, it } from "vitest";
import { adviceOn } from "./password-strength.tsx";

it.each([
  ["Summer2026!", "Easy to guess: many people use one like it. Add an unrelated word or two."],
  ["1234567890", "Easy to guess: many people use it. Add an unrelated word or two."],
  ["annexample", "Easy to guess: it contains your name, address or company. Add an unrelated word or two."],
  ["aaaaaaaaab", "Easy to guess: a repetition. Add an unrelated word or two."],
  ["kV8#tq-Zr", "Too short: at least 10 characters."],
  ["correct horse battery", "Very hard to guess."],
])("%s: %s", (password, advice) => {
  expect(adviceOn(password, judgePassword(password, ["ann@example.com", "Ann Example"]))).toBe(advice);
});
