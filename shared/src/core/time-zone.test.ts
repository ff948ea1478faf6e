import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { data } from "../../../test/support/data.ts";
import { firstInstantAt, wallTimeAt, wallTime } from "./time-zone.ts";

const minuteMs = 60_000;
const zones = data<string[]>("shared-core-time-zone", "zones");

describe("the first instant at which clocks show a time or a later one", () => {
  test.each(data<[string, number[], string][]>("core-time-zone", "examples"))(
    "%s %j: %s",
    (zone, [year = 0, month = 0, day = 0, hour, minute], instant) => {
      expect(new Date(firstInstantAt(wallTime(year, month, day, hour, minute), zone)).toISOString()).toBe(instant);
    },
  );

  test("for any minute", () => {
    const from = Date.UTC(1905, 0);
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 70_000_000 }), (zone, minutes) => {
        const wall = from + minutes * minuteMs;
        const instant = firstInstantAt(wall, zone);
        expect(wallTimeAt(instant, zone)).toBeGreaterThanOrEqual(wall);
        expect(wallTimeAt(instant - 1, zone)).toBeLessThan(wall);
      }),
      { numRuns: scaled(400, 2_000) },
    );
  });
});

test("an unknown zone is UTC, and more zones than are remembered are told apart", () => {
  expect(wallTimeAt(0, "Mars/Olympus")).toBe(0);
  const names = Intl.supportedValuesOf("timeZone");
  const offsets = (): number[] => names.map((name) => wallTimeAt(0, name));
  expect(offsets()).toEqual(offsets());
});
