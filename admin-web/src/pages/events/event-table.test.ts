import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { describeOutcome } from "./event-table.tsx";

test.each(data<[string | null, boolean, number, number, string][]>("admin-web-pages-events-event-table", "dry run sent failed"))(
  "%s, dry run %s, %d sent, %d failed: %s",
  (chat, dryRun, recipientsSent, recipientsFailed, text) => {
    expect(describeOutcome({ chat, dryRun, recipientsSent, recipientsFailed, recipientsScheduled: 0 }).text).toBe(text);
  },
);

test.each(
  data<[boolean, number, number, number, string][]>(
    "admin-web-pages-events-event-table",
    "scheduled, dry run , later sent, failed, waiting:",
  ),
)(
  "scheduled, dry run %s, later %d sent, %d failed, %d waiting: %s",
  (dryRun, recipientsSent, recipientsFailed, recipientsScheduled, text) => {
    expect(describeOutcome({ chat: "scheduled", dryRun, recipientsSent, recipientsFailed, recipientsScheduled }).text).toBe(text);
  },
);
