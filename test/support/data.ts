import { readFileSync } from "node:fs";

/** What a test compares with or goes through, by its name in a file of `test/support/data`; `{ "regex": "…" }` is a regular expression. */
export const data = <T>(file: string, name: string): T =>
  (JSON.parse(readFileSync(new URL(`data/${file}.json`, import.meta.url), "utf8"), asExpression) as Record<string, T>)[name] as T;

const asExpression = (_: string, value: { regex?: unknown; flags?: string } | null): unknown =>
  typeof value?.regex === "string" ? new RegExp(value.regex, value.flags) : value;
