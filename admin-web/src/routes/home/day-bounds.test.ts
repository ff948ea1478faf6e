import { expect, test } from "vitest";
import { dayBounds } from "./day-bounds.ts";

test.each([
  ["UTC", "2026-11-20T12:00:00Z", "2026-11-18T00:00:00.000Z", "2026-11-21T00:00:00.000Z"],
  // The clocks went forward on the 29th.
  ["Europe/Berlin", "2026-03-30T12:00:00Z", "2026-03-27T23:00:00.000Z", "2026-03-30T22:00:00.000Z"],
  ["Asia/Tokyo", "2026-11-20T15:30:00Z", "2026-11-18T15:00:00.000Z", "2026-11-21T15:00:00.000Z"],
  ["America/Los_Angeles", "2026-11-20T02:00:00Z", "2026-11-17T08:00:00.000Z", "2026-11-20T08:00:00.000Z"],
])("in %s at %s three days begin at %s", (zone, now, from, to) => {
  expect(dayBounds(zone, 3, new Date(now))).toMatchObject({ from, to, before: { to: from } });
});

test("the span before is as many days long", () => {
  const { before } = dayBounds("UTC", 7, new Date("2026-11-20T12:00:00Z"));
  expect(before).toEqual({ from: "2026-11-07T00:00:00.000Z", to: "2026-11-14T00:00:00.000Z" });
});
