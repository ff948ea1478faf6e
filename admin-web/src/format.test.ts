import { describe, expect, test } from "vitest";
import { formatDuration, formatRelative } from "./format.ts";

describe("how far off a time is", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  test.each([
    ["2026-11-20T12:00:20Z", "now"],
    ["2026-11-20T12:01:00Z", "in 1 minute"],
    ["2026-11-20T12:59:40Z", "in 1 hour"],
    ["2026-11-20T15:10:00Z", "in 3 hours"],
    ["2026-11-23T11:00:00Z", "in 3 days"],
    ["2026-11-20T11:55:00Z", "5 minutes ago"],
    ["2026-11-18T12:00:00Z", "2 days ago"],
  ])("%s is %s", (at, words) => expect(formatRelative(at, now)).toBe(words));
});

describe("about how long", () => {
  test.each([
    [0.2, "1 second"],
    [59.4, "59 seconds"],
    [59.6, "1 minute"],
    [3599, "1 hour"],
    [5400, "2 hours"],
    [172_800, "2 days"],
  ])("%d seconds are %s", (seconds, words) => expect(formatDuration(seconds)).toBe(words));
});
