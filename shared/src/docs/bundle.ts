import { readdirSync, readFileSync } from "node:fs";

/** The sources lie beside this file in development and are looked up from the compiled copy in production. */
const folder = new URL("../../src/docs/", import.meta.url);

/** The whole developer documentation as one Markdown text: the files of this folder in the order of their numbers. */
export const readDocsBundle = (): string =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => readFileSync(new URL(name, folder), "utf8").trim())
    .join("\n\n")
    .concat("\n");
