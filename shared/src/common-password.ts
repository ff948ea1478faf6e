import { createRequire } from "node:module";
import type { dictionary as Dictionary } from "@zxcvbn-ts/language-common";

/** Whether attackers try it first: a leaked password in any case, one repeated character, or a run such as 0123456789. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  return isRow(text) || leakedPasswords().includes(text);
}

/** The list takes 10 MB once it is loaded, so it is loaded for a password that is asked about. */
const leakedPasswords = (): readonly string[] =>
  (createRequire(import.meta.url)("@zxcvbn-ts/language-common") as { dictionary: typeof Dictionary }).dictionary.passwords;

/** Whether every character is the same step from the one before: 0, 1 or -1. The digit 0 also follows 9. */
function isRow(text: string): boolean {
  const codes = Array.from(text.replaceAll("90", "9:").replaceAll("09", ":9"), (character) => character.codePointAt(0) ?? 0);
  const step = (codes[1] ?? 0) - (codes[0] ?? 0);
  return Math.abs(step) <= 1 && codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step);
}
