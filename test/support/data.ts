import { readFileSync } from "node:fs";

/** What a test compares with or goes through, by its name in a file of `test/support/data`. */
export const data = <T>(file: string, name: string): T =>
  (JSON.parse(readFileSync(new URL(`data/${file}.json`, import.meta.url), "utf8")) as Record<string, T>)[name] as T;
