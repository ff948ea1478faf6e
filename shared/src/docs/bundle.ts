import { readFileSync } from "node:fs";
import { fillSamples } from "./codes.ts";
import { toBundle } from "./topics.ts";

/** The sources lie beside this file in development and are looked up from the compiled copy in production. */
const folder = new URL("../../src/docs/", import.meta.url);

const readText = (file: string): string => readFileSync(new URL(file, folder), "utf8");

/** A topic's Markdown, with its programs and tables. */
export const readTopic = (topic: string): string => fillSamples(readText(`${topic}.md`), (file) => readText(`samples/${file}`));

/** The whole developer documentation as one Markdown text. */
export const readDocsBundle = (): string => toBundle(readTopic);
