import { readFileSync } from "node:fs";

/** A body as a shop system posts it, by its file's name without `.json`. */
export const shopBody = (name: string): string => readFileSync(new URL(`${name}.json`, import.meta.url), "utf8");
