import { describe, expect, test } from "vitest";
import { mergeStatus, notificationStatuses, type NotificationStatus, type ReportedStatus } from "./notification-status.ts";

const reports: ReportedStatus[] = ["sent", "failed", "delivered", "read"];

describe("mergeStatus", () => {
  test.each<[NotificationStatus, boolean, ReportedStatus, NotificationStatus]>([
    ["sending", false, "sent", "sent"],
    ["sending", false, "read", "read"],
    ["read", false, "delivered", "read"],
    ["delivered", false, "sent", "delivered"],
    ["sent", false, "failed", "failed"],
    ["failed", false, "sent", "failed"],
    ["failed", false, "delivered", "delivered"],
    ["delivered", false, "failed", "delivered"],
    ["read", false, "failed", "read"],
    ["failed", true, "sent", "sent"],
    ["failed", true, "failed", "failed"],
    ["failed", true, "delivered", "delivered"],
    ["delivered", true, "sent", "delivered"],
  ])("%s (local failure: %s), then %s: %s", (current, local, reported, merged) => {
    expect(mergeStatus(current, local, reported)).toBe(merged);
  });

  test("comes to the same in any order and with repeats", () => {
    for (const start of notificationStatuses) {
      for (const a of reports) {
        for (const b of reports) {
          const ab = mergeStatus(mergeStatus(start, false, a), false, b);
          expect(mergeStatus(mergeStatus(start, false, b), false, a)).toBe(ab);
          expect(mergeStatus(ab, false, a)).toBe(ab);
        }
      }
    }
  });
});
