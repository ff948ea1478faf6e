import { dictionary } from "@zxcvbn-ts/language-common";

/** Whether it is among the passwords that are tried first: a list of leaked ones in any case, one character over and over, or a plain row such as 0123456789. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  return listed.has(text) || isRow(text);
}

const listed = new Set(dictionary.passwords);

/** Every character the same step from the one before it: 0 (repeated), 1 or -1. The digit 0 also follows 9. */
function isRow(text: string): boolean {
  const codes = Array.from(text.replaceAll("90", "9:").replaceAll("09", ":9"), (character) => character.codePointAt(0) ?? 0);
  const step = (codes[1] ?? 0) - (codes[0] ?? 0);
  return Math.abs(step) <= 1 && codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step);
}
