import { expect, test } from "vitest";
import { describeOutcome } from "./event-table.tsx";

test.each([
  [null, false, 0, 0, "In progress"],
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
  expect(describeOutcome({ chat, dryRun, recipientsSent, recipientsFailed }).text).toBe(text);
});
