import { hash, verify } from "@node-rs/argon2";
import { dictionary } from "@zxcvbn-ts/language-common";
import { newPasswordSchema } from "shared/core/input/team";

/** A password to be set, not one of those that are tried first. */
export const strongPasswordSchema = newPasswordSchema.refine(
  (password) => !isCommonPassword(password),
  "Is one of the most common passwords: choose another",
);

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

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** An argon2id hash with its own salt and parameters. */
export const hashPassword = async (password: string): Promise<string> => hash(normal(password), parameters);

/** With `stored` undefined (no such user) it takes as long, and answers false. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const isRight = await verify(stored ?? (await nobodysHash), normal(password));
  return isRight && stored !== undefined;
}

const nobodysHash = hashPassword("a password that nobody has");

/** The same characters typed on another keyboard may come composed otherwise. */
function normal(password: string): string {
  return password.normalize("NFKC");
}
