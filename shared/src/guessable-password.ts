import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as Core from "@zxcvbn-ts/core";
import type * as Lists from "@zxcvbn-ts/language-common";
import { createJudge } from "./core/password-judge.ts";

/** Whether attackers try it first: a leaked password in any case, one repeated character, or a run such as 0123456789. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  return isRow(text) || (!text.includes(",") && readLeaked().includes(`,${text},`));
}

/** The leaked passwords, between commas: the file's text, since as a list they take 10 MB. */
const readLeaked = (): string =>
  readFileSync(createRequire(import.meta.url).resolve("@zxcvbn-ts/language-common/dist/passwords.json.js"), "utf8").replaceAll('"', ",");

const keptMs = 10_000;
let judge: ReturnType<typeof createJudge> | undefined;
let giveUp: NodeJS.Timeout | undefined;

/** Whether a new password may not be this one; `words` are the user's own, such as their name. What judges takes 10 MB, and is given up soon after. */
export function isGuessable(password: string, words: readonly string[]): boolean {
  judge ??= unkept((load) => createJudge({ ...load<typeof Lists>("@zxcvbn-ts/language-common"), ...load<typeof Core>("@zxcvbn-ts/core") }));
  clearTimeout(giveUp);
  giveUp = setTimeout(() => (judge = undefined), keptMs).unref();
  return judge(password, words).isWeak;
}

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
