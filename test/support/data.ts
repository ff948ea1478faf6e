import { readFileSync } from "node:fs";

/** What a test compares with or goes through, by its name in a file of `test/support/data`; `{ "regex": "…" }` is a regular expression. */
export const data = <T>(file: string, name: string): T =>
  (JSON.parse(readFileSync(new URL(`data/${file}.json`, import.meta.url), "utf8"), asExpression) as Record<string, T>)[name] as T;

const asExpression = (_: string, value: { regex?: unknown; flags?: string } | null): unknown =>
  typeof value?.regex === "string" ? new RegExp(value.regex, value.flags) : value;

/** A value with another in place of each name in angle brackets. */
export const fill = <T>(value: T, values: Readonly<Record<string, string>>): T =>
  JSON.parse(JSON.stringify(value).replaceAll(/<(\w+)>/gu, (_, name: string) => values[name] ?? "")) as T;
