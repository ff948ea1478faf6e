import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstInstantAt, wallTimeAt, wallTime } from "./time-zone.ts";

const minuteMs = 60_000;
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "America/Sao_Paulo",
  "Pacific/Apia",
  "America/St_Johns",
  "Africa/Casablanca",
];

describe("the first instant at which clocks show a time or a later one", () => {
  test.each([
    ["Europe/Berlin", [2026, 6, 1, 12, 0], "2026-06-01T10:00:00.000Z"],
    ["Europe/Berlin", [2026, 3, 29, 2, 30], "2026-03-29T01:00:00.000Z"],
    ["Europe/Berlin", [2026, 10, 25, 2, 30], "2026-10-25T00:30:00.000Z"],
    ["America/New_York", [2026, 3, 8, 2, 0], "2026-03-08T07:00:00.000Z"],
    ["America/New_York", [2026, 11, 1, 1, 30], "2026-11-01T05:30:00.000Z"],
    ["Australia/Lord_Howe", [2026, 10, 4, 2, 10], "2026-10-03T15:30:00.000Z"],
    ["Australia/Lord_Howe", [2026, 4, 5, 1, 45], "2026-04-04T14:45:00.000Z"],
    ["Asia/Kathmandu", [2026, 1, 1, 0, 0], "2025-12-31T18:15:00.000Z"],
    ["America/Sao_Paulo", [2018, 11, 4, 0, 0], "2018-11-04T03:00:00.000Z"],
    ["Pacific/Apia", [2011, 12, 30, 12, 0], "2011-12-30T10:00:00.000Z"],
  ])("%s %j: %s", (zone, [year = 0, month = 0, day = 0, hour, minute], instant) => {
    expect(new Date(firstInstantAt(wallTime(year, month, day, hour, minute), zone)).toISOString()).toBe(instant);
  });

  test("for any minute", () => {
    const from = Date.UTC(1905, 0);
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 70_000_000 }), (zone, minutes) => {
        const wall = from + minutes * minuteMs;
        const instant = firstInstantAt(wall, zone);
        expect(wallTimeAt(instant, zone)).toBeGreaterThanOrEqual(wall);
        expect(wallTimeAt(instant - 1, zone)).toBeLessThan(wall);
      }),
      { numRuns: 2_000 },
    );
  });
});

test("an unknown zone is UTC, and more zones than are remembered are told apart", () => {
  expect(wallTimeAt(0, "Mars/Olympus")).toBe(0);
  const names = Intl.supportedValuesOf("timeZone");
  const offsets = (): number[] => names.map((name) => wallTimeAt(0, name));
  expect(offsets()).toEqual(offsets());
});
