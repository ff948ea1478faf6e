import { createRequire } from "node:module";
import type * as Core from "@zxcvbn-ts/core";
import type * as Lists from "@zxcvbn-ts/language-common";
import { createJudge } from "./core/password-judge.ts";

/** Whether attackers try it first: a leaked password in any case, one repeated character, or a run such as 0123456789. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  return isRow(text) || leakedPasswords().includes(text);
}

/** Whether a new password may not be this one; `words` are the user's own, such as their name. */
export const isGuessable = (password: string, words: readonly string[]): boolean => judge()(password, words).isWeak;

/** The lists take 10 MB once they are loaded, so they are loaded for a password that is asked about, and given up soon after. */
const leakedPasswords = forAWhile((load) => load<typeof Lists>("@zxcvbn-ts/language-common").dictionary.passwords);
const judge = forAWhile((load) =>
  createJudge({ ...load<typeof Lists>("@zxcvbn-ts/language-common"), ...load<typeof Core>("@zxcvbn-ts/core") }),
);

function forAWhile<T>(make: (load: <Module>(name: string) => Module) => T): () => T {
  let kept: T | undefined;
  let timer: NodeJS.Timeout | undefined;
  return () => {
    kept ??= unkept(make);
    clearTimeout(timer);
    timer = setTimeout(() => (kept = undefined), keptMs).unref();
    return kept;
  };
}

const keptMs = 10_000;

/** Makes something of modules that are loaded for it alone: nothing else keeps them. */
function unkept<T>(make: (load: <Module>(name: string) => Module) => T): T {
  const load = createRequire(import.meta.url);
  const before = new Set(Object.keys(load.cache));
  try {
    return make((name) => load(name));
  } finally {
    for (const file of Object.keys(load.cache)) if (!before.has(file)) Reflect.deleteProperty(load.cache, file);
  }
}

/** Whether every character is the same step from the one before: 0, 1 or -1. The digit 0 also follows 9. */
function isRow(text: string): boolean {
  const codes = Array.from(text.replaceAll("90", "9:").replaceAll("09", ":9"), (character) => character.codePointAt(0) ?? 0);
  const step = (codes[1] ?? 0) - (codes[0] ?? 0);
  return Math.abs(step) <= 1 && codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step);
}
