import { readFileSync } from "node:fs";

/** A body of a shop system's post, by its file's name without `.json`. */
export const shopBody = (name: string): string => readFileSync(new URL(`${name}.json`, import.meta.url), "utf8");
