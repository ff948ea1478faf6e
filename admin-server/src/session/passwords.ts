import { hash, verify } from "@node-rs/argon2";
import { zxcvbn, zxcvbnOptions } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";
import { invalidInput } from "../trpc/errors.ts";
import { inTurn } from "./turns.ts";

zxcvbnOptions.setOptions({ graphs: adjacencyGraphs, dictionary, l33tMaxSubstitutions: 4 });

/** The time that an estimate takes grows with the square of the length, and more. */
const judgedLength = 24;
/** Of zxcvbn's 0 to 4: more than 10^8 guesses. */
const leastScore = 3;

/** Whether it can be guessed; `words` are the user's own, such as their name. */
export function isWeakPassword(password: string, words: readonly string[]): boolean {
  const parts = words.map((word) => word.split(/[^\p{L}\p{N}]/u));
  const own = [...words, ...parts.flat(), ...parts.map((each) => each.join("")), "tidings"];
  return zxcvbn(password.slice(0, judgedLength), own).score < leastScore;
}

/** @throws TRPCError BAD_REQUEST at the input's member `name` */
export function requireStrongPassword(password: string, words: readonly string[], name = "password"): void {
  if (isWeakPassword(password, words)) throw invalidInput([{ path: [name], message: weakPassword }]);
}

export const weakPassword = "Is easy to guess: make it longer, or use several unrelated words";

/** Whether attackers try it first: a leaked password in any case, one repeated character, or a run such as 0123456789. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  return listed.has(text) || isRow(text);
}

const listed = new Set(dictionary.passwords);

/** Whether every character is the same step from the one before: 0, 1 or -1. The digit 0 also follows 9. */
function isRow(text: string): boolean {
  const codes = Array.from(text.replaceAll("90", "9:").replaceAll("09", ":9"), (character) => character.codePointAt(0) ?? 0);
  const step = (codes[1] ?? 0) - (codes[0] ?? 0);
  return Math.abs(step) <= 1 && codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step);
}

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** An argon2id hash with its own salt and parameters. @throws TRPCError SERVICE_UNAVAILABLE when too many wait */
export const hashPassword = async (password: string): Promise<string> => inTurn(null, () => hash(normal(password), parameters));

/** False after the same work when `stored` is undefined (no such user). To be called in turn, as `guarded` does. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const isRight = await verify(stored ?? (await nobodysHash), normal(password));
  return isRight && stored !== undefined;
}

const nobodysHash = hash("a password that nobody has", parameters);

/** Keyboards compose the same characters differently. */
function normal(password: string): string {
  return password.normalize("NFKC");
}
