import { readFileSync } from "node:fs";
import { toBundle } from "./topics.ts";

/** The sources lie beside this file in development and are looked up from the compiled copy in production. */
const folder = new URL("../../src/docs/", import.meta.url);

/** The whole developer documentation as one Markdown text. */
export const readDocsBundle = (): string => toBundle((topic) => readFileSync(new URL(`${topic}.md`, folder), "utf8"));
