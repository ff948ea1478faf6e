import { readFileSync } from "node:fs";

/** The topics in the order in which they are read, each a Markdown file of this folder. */
export const topics = [
  "overview",
  "quick-start",
  "authentication",
  "sites",
  "events",
  "ingest",
  "idempotency",
  "dry-run",
  "bindings",
  "templates",
  "statuses",
  "log",
  "opted-out",
  "keeping",
  "errors",
  "limits",
  "platform-setup",
  "sandbox",
  "people",
  "tools",
  "audit",
  "operating",
  "backup",
  "outbound-webhooks",
  "changes",
] as const;

/** The sources lie beside this file in development and are looked up from the compiled copy in production. */
const folder = new URL("../../src/docs/", import.meta.url);

/** The whole developer documentation as one Markdown text. */
export const readDocsBundle = (): string =>
  topics.map((topic) => `${readFileSync(new URL(`${topic}.md`, folder), "utf8").trim()}\n`).join("\n");
