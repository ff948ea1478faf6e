import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { describeOutcome } from "./event-table.tsx";

test.each(data<[string | null, boolean, number, number, string][]>("admin-web-pages-events-event-table", "dry run sent failed"))(
  "%s, dry run %s, %d sent, %d failed: %s",
  (chat, dryRun, recipientsSent, recipientsFailed, text) => {
    expect(describeOutcome({ chat, dryRun, recipientsSent, recipientsFailed, recipientsScheduled: 0 }).text).toBe(text);
  },
);

test.each([
  [false, 0, 0, 2, "2 messages scheduled"],
  [true, 0, 0, 0, "Would be scheduled"],
  [false, 2, 0, 0, "2 messages sent"],
  [false, 1, 1, 0, "1 of 2 sent"],
  [false, 0, 1, 0, "Failed"],
  [false, 0, 0, 0, "Was scheduled"],
])(
  "scheduled, dry run %s, later %d sent, %d failed, %d waiting: %s",
  (dryRun, recipientsSent, recipientsFailed, recipientsScheduled, text) => {
    expect(describeOutcome({ chat: "scheduled", dryRun, recipientsSent, recipientsFailed, recipientsScheduled }).text).toBe(text);
  },
);
