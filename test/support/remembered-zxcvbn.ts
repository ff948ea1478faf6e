import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "./process.ts";

interface Package {
  zxcvbn: (password: string, words: string[]) => unknown;
  zxcvbnOptions: unknown;
}

const real = createRequire(join(root, "shared/package.json"))("@zxcvbn-ts/core") as Package;
const known = new Map<string, unknown>();

/** Takes the package's place in a test's own process, where hundreds of people join with one password: it is judged once, unless a word of their own is in it. */
export function zxcvbn(password: string, words: string[]): unknown {
  const text = password.toLowerCase();
  if (words.some((word) => word.length > 2 && text.includes(word.toLowerCase()))) return real.zxcvbn(password, words);
  if (!known.has(password)) known.set(password, real.zxcvbn(password, words));
  return known.get(password);
}

export const { zxcvbnOptions } = real;
