/** The topics of the developer documentation in the order in which they are read, each a Markdown file of this folder. */
export const topics = [
  "overview",
  "quick-start",
  "authentication",
  "sites",
  "shops",
  "events",
  "ingest",
  "idempotency",
  "dry-run",
  "bindings",
  "conditions",
  "schedules",
  "queue",
  "templates",
  "statuses",
  "log",
  "webhooks",
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
  "master-key",
  "threats",
  "changes",
] as const;
export type Topic = (typeof topics)[number];

/** The whole documentation as one Markdown text. */
export const toBundle = (textOf: (topic: Topic) => string): string => topics.map((topic) => `${textOf(topic).trim()}\n`).join("\n");

/** Of the file that holds all of it. */
export const bundleFileName = "tidings-developer-docs.md";
