import { expect, test } from "vitest";
import { describeOutcome } from "./event-table.tsx";

test.each([
  [null, false, 0, 0, "In progress"],
  ["accepted", false, 0, 0, "Queued"],
  ["sent", false, 1, 0, "1 message sent"],
  ["sent", false, 3, 0, "3 messages sent"],
  ["sent", true, 0, 0, "Would be sent"],
  ["partial", false, 2, 1, "2 of 3 sent"],
  ["partial", true, 0, 0, "Would be partly sent"],
  ["failed", false, 0, 2, "Failed"],
  ["failed", true, 0, 0, "Would fail"],
  ["no_bindings", false, 0, 0, "No binding matches"],
  ["skipped_conditions", false, 0, 0, "No binding fired"],
  ["skipped_no_phone", false, 0, 0, "No valid phone number"],
  ["skipped_no_config", false, 0, 0, "WhatsApp not connected"],
  ["something_new", false, 0, 0, "something_new"],
])("%s, dry run %s, %d sent, %d failed: %s", (chat, dryRun, recipientsSent, recipientsFailed, text) => {
  expect(describeOutcome({ chat, dryRun, recipientsSent, recipientsFailed, recipientsScheduled: 0 }).text).toBe(text);
});

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
