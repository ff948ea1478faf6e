import { describe, expect, test } from "vitest";
import { hasNoNews } from "./message-life.ts";

const now = new Date("2026-11-20T12:00:00Z");
const before = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);
const days = 24 * 60;

describe("no news of a message that was sent", () => {
  test.each([
    ["AUTHENTICATION", 10, false],
    ["authentication", 10.01, true],
    ["UTILITY", 30 * days, false],
    ["UTILITY", 30 * days + 1, true],
    ["MARKETING", 30 * days + 1, true],
    ["MARKETING", 11, false],
    [null, 29 * days, false],
    [null, 31 * days, true],
  ])("%s after %d minutes: %s", (category, minutes, expected) => {
    expect(hasNoNews({ status: "sent", category, sentAt: before(minutes) }, now)).toBe(expected);
  });

  test.each(["queued", "sending", "failed", "delivered", "read"] as const)("is never said of %s", (status) => {
    expect(hasNoNews({ status, category: "UTILITY", sentAt: before(90 * days) }, now)).toBe(false);
  });

  test("needs a time to count from", () => {
    expect(hasNoNews({ status: "sent", category: "UTILITY", sentAt: null }, now)).toBe(false);
  });
});
