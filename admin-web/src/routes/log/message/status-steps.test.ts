import { expect, test } from "vitest";
import { statusSteps } from "./status-steps.ts";

const at = (second: number) => `2026-11-20T08:00:0${second}.000Z`;
const life = { status: "queued", createdAt: at(0), sentAt: null, deliveredAt: null, readAt: null, failedAt: null };

test.each([
  ["one that waits", life, "made sent? delivered? read?"],
  ["one that was sent", { ...life, status: "sent", sentAt: at(1) }, "made sent delivered? read?"],
  ["one that was read and never told delivered", { ...life, status: "read", sentAt: at(1), readAt: at(2) }, "made sent read"],
  ["one that was refused", { ...life, status: "failed", failedAt: at(1) }, "made failed"],
  ["one that failed on its way", { ...life, status: "failed", sentAt: at(1), failedAt: at(2) }, "made sent failed"],
  [
    "one that was told as failed and arrived all the same",
    { ...life, status: "delivered", sentAt: at(1), failedAt: at(2), deliveredAt: at(3) },
    "made sent failed delivered read?",
  ],
])("%s", (_, message, expected) => {
  expect(
    statusSteps(message)
      .map((step) => step.what + (step.at === null ? "?" : ""))
      .join(" "),
  ).toBe(expected);
});
