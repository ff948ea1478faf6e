import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/faults/harness/scale.ts";
import { data } from "../../../../test/support/data.ts";
import { wallTimeAt } from "../time-zone.ts";
import type { Schedule } from "./schedule.ts";
import { compileWindow, windowEnd } from "./window.ts";

type Window = NonNullable<Schedule["window"]>;
const minuteMs = 60_000;
const dayMs = 86_400_000;
const everyDay = [1, 2, 3, 4, 5, 6, 7];

const next = (window: Window, at: string, zone = "Europe/Berlin"): string =>
  new Date(compileWindow(window, zone)(Date.parse(at))).toISOString().replace(":00.000Z", "Z");

describe("the first instant inside", () => {
  test.each(data<[string, Window, string, string][]>("core-schedule-window", "first instants"))(
    "%s: %j %s",
    (_name, window, at, expected) => {
      expect(next(window, at)).toBe(expected);
    },
  );
});

/** Starting points at the beginning of a day two days before a change of clocks. */
const changes = data<[string, string][]>("core-schedule-window", "changes");
const walked = 12 * 24 * 60;
const walls = new Map(
  changes.map(([zone, from]) => [zone + from, Array.from({ length: walked }, (_, n) => wallTimeAt(Date.parse(from) + n * minuteMs, zone))]),
);

/** Walks minute by minute: a day's window is open from the minute at which clocks first show `from` or later to the first that shows `to` or later. */
function walk(window: Window, wall: readonly number[], startAt: number): number | undefined {
  const minutes = (time: string): number => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * minuteMs;
  const length = window.to > window.from ? 0 : dayMs;
  const first = Math.floor((wall[0] ?? 0) / dayMs);
  for (let day = first - 1; day < first + 12; day += 1) {
    if (!window.days.includes(new Date(day * dayMs).getUTCDay() || 7)) continue;
    const open = wall.findIndex((shown) => shown >= day * dayMs + minutes(window.from));
    const close = wall.findIndex((shown) => shown >= day * dayMs + length + minutes(window.to));
    // The window opened before the walk began, or closes behind its end.
    if (open <= 0 || close === -1) continue;
    if (startAt <= open) return open;
    if (startAt < close) return startAt;
  }
  return undefined;
}

test("as a walk by the minute finds it, over changes of clocks", () => {
  const time = fc
    .tuple(fc.nat(23), fc.constantFrom(0, 1, 15, 30, 45, 59))
    .map((parts) => parts.map((n) => String(n).padStart(2, "0")).join(":"));
  const window = fc
    .record({
      days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      from: time,
      to: fc.oneof(time, fc.constant("24:00")),
    })
    .filter(({ from, to }) => from !== to);
  fc.assert(
    fc.property(fc.constantFrom(...changes), window, fc.integer({ min: 0, max: 4 * 24 * 60 }), ([zone, from], given, offset) => {
      // The start is a day and more into the walk, so that the window of the day before has opened within it.
      const startAt = 26 * 60 + offset;
      const expected = walk(given, walls.get(zone + from) ?? [], startAt);
      fc.pre(expected !== undefined);
      const at = Date.parse(from) + startAt * minuteMs;
      const find = compileWindow(given, zone);
      expect(find(at)).toBe(Date.parse(from) + (expected ?? 0) * minuteMs);
      // The function remembers its last opening, which must not spoil other instants.
      for (const other of [at + 7 * minuteMs, at - 7 * minuteMs, at + dayMs, at])
        expect(find(other)).toBe(compileWindow(given, zone)(other));
    }),
    { numRuns: scaled(100, 400) },
  );
});

describe("the end of a window", () => {
  const end = (window: Window, at: string): string | null => {
    const instant = windowEnd(window, "Europe/Berlin", Date.parse(at));
    return instant === null ? null : new Date(instant).toISOString().replace(":00.000Z", "Z");
  };
  test.each(data<[string, Window, string, string | null][]>("core-schedule-window", "cases"))("%s", (_name, window, at, expected) => {
    expect(end(window, at)).toBe(expected);
  });

  test("is the first instant outside, wherever one is inside", () => {
    const times = fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
    const windows = fc
      .record({ days: fc.subarray(everyDay, { minLength: 1 }), from: times, to: times })
      .filter(({ from, to }) => from !== to);
    fc.assert(
      fc.property(windows, fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2027-01-01") }), (window, at) => {
        const inside = compileWindow(window, "Europe/Berlin");
        const until = windowEnd(window, "Europe/Berlin", at);
        if (until === null) return inside(at) > at;
        return inside(at) === at && inside(until - 1) === until - 1 && (inside(until) > until || until - at >= 8 * dayMs);
      }),
    );
  });
});
