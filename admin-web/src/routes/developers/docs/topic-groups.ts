import type { Topic } from "shared/docs/topics";

/** The topics as somebody looks for them: in their order, under what they are about. */
export const topicGroups: { label: string; topics: Topic[] }[] = [
  { label: "Begin", topics: ["overview", "quick-start", "authentication", "sites"] },
  { label: "Post events", topics: ["events", "ingest", "idempotency", "dry-run"] },
  { label: "Send messages", topics: ["bindings", "templates", "statuses", "log"] },
  { label: "Privacy", topics: ["opted-out", "keeping"] },
  { label: "Look up", topics: ["errors", "limits", "changes"] },
  { label: "Your account", topics: ["platform-setup", "sandbox", "people", "tools", "audit"] },
  { label: "Run it", topics: ["operating", "backup", "outbound-webhooks"] },
];
