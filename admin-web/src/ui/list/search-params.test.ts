import { expect, test } from "vitest";
import { dayOf, daysBack, midnight } from "./days.ts";
import { daySpan, searchDayOrTime, toLocalMinute } from "./search-params.ts";

test.each([
  ["2026-11-20", "2026-11-20"],
  ["2026-11-20T08:00:00.000Z", "2026-11-20T08:00:00.000Z"],
  ["2026-11-20T08:00:00Z", "2026-11-20T08:00:00Z"],
  ["2026-13-20T08:00:00Z", undefined],
  ["2026-11-20T08:00:00+01:00", undefined],
  ["yesterday", undefined],
  [20261120, undefined],
])("%s in the address counts as %s", (written, read) => {
  expect(searchDayOrTime(written)).toBe(read);
});

test("a span of days is whole, one of times is taken as it is", () => {
  const { from, to } = daySpan({ from: "2026-11-20", to: "2026-11-20" });
  expect(Date.parse(to ?? "") - Date.parse(from ?? "")).toBe(86_399_999);
  const times = { from: "2026-11-20T08:00:00.000Z", to: "2026-11-20T09:30:00.000Z" };
  expect(daySpan(times)).toEqual(times);
});

test("a time is shown by its day and its minute in the reader's zone", () => {
  const at = new Date(2026, 10, 20, 0, 5, 30);
  expect(dayOf(at.toISOString())).toBe("2026-11-20");
  expect(toLocalMinute(at.getTime())).toBe("2026-11-20T00:05");
  expect(dayOf("")).toBe("");
  // In Berlin the clocks go back on this day.
  expect(midnight("2026-10-25", 1, "Europe/Berlin")).toBe("2026-10-25T23:00:00.000Z");
  expect(daysBack(1, new Date("2026-10-25T23:30:00Z"), "Europe/Berlin")).toBe("2026-10-25");
});
