import { expect, test } from "vitest";
import { outcomeWords } from "./event-table.tsx";

test.each([
  [null, false, 0, 0, "being worked on"],
  ["sent", false, 1, 0, "1 message sent"],
  ["sent", false, 3, 0, "3 messages sent"],
  ["sent", true, 0, 0, "would be sent"],
  ["partial", false, 2, 1, "2 of 3 sent"],
  ["partial", true, 0, 0, "would be sent in part"],
  ["failed", false, 0, 2, "none of 2 sent"],
  ["failed", true, 0, 0, "would fail"],
  ["no_bindings", false, 0, 0, "no binding fits"],
  ["skipped_no_phone", false, 0, 0, "nobody to write to"],
  ["skipped_no_config", false, 0, 0, "no platform connected"],
  ["something_new", false, 0, 0, "something_new"],
])("%s, dry run %s, %d sent, %d failed: %s", (chat, dryRun, recipientsSent, recipientsFailed, text) => {
  expect(outcomeWords({ chat, dryRun, recipientsSent, recipientsFailed }).text).toBe(text);
});
