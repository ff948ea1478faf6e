import { formatCount } from "../../../format.ts";

/** Tables that hold something of people, in few words; one that is not here stands for itself. */
const tableWords: Record<string, string> = {
  event_payload: "payloads",
  notification: "messages",
  event: "events",
  customer_order: "orders",
  idempotency: "stored answers",
  site_recipient: "recipients",
  site: "test phones",
  event_kind: "samples and event names",
  opt_out: "opt-outs",
  resend_job: "resends",
  audit_entry: "audit entries",
  "sandbox.message": "on the sandbox phone",
};

/** How many rows of what were changed; empty for none. */
export const countWords = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `${formatCount(count)} ${tableWords[table] ?? table}`)
    .join(", ");
