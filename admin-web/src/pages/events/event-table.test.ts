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

test.each([
  [["read"], "read", "1 message sent · read"],
  [["delivered", "cancelled"], "delivered", "1 message sent · delivered"],
  [["read", "sent"], "waiting", "1 message sent"],
  [["read", "failed"], "attention", "1 message sent"],
  [["failed"], "failed", "1 message sent · failed"],
  [[], "waiting", "1 message sent"],
] as const)("what its messages reached, %s, gives an event the tone %s", (statuses, tone, text) => {
  const answered = { chat: "sent", dryRun: false, recipientsSent: 1, recipientsFailed: 0, recipientsScheduled: 0 };
  expect(describeOutcome({ ...answered, statuses })).toEqual({ text, tone });
});
