import { dayMs, minuteMs } from "../durations.ts";
import { firstInstantAt, wallTimeAt } from "../time-zone.ts";
import type { Schedule } from "./schedule.ts";

type Window = NonNullable<Schedule["window"]>;

/**
 * Compiles a window to a function that answers the first instant at or after the given one that is inside, in milliseconds. A window opens on each of its days
 * at the first instant at which clocks show `from` or later, and closes at the first at which they show `to` or later, which may be the day after.
 */
export function compileWindow(window: Window, accountTimezone: string): (instant: number) => number {
  const find = openings(window, accountTimezone);
  let last: Opening | null = null;
  return (instant) => {
    // The last opening is kept: events come one after the other, mostly within one.
    if (last === null || instant < last.since || instant >= last.close) last = find(instant);
    return Math.max(instant, last.open);
  };
}

/** When the window that is open at the instant closes, in milliseconds; null if none is open. A window that never closes counts as closing after eight days. */
export function windowEnd(window: Window, accountTimezone: string, instant: number): number | null {
  const find = openings(window, accountTimezone);
  const latest = instant + 8 * dayMs;
  let end = instant;
  for (let next = find(instant); next.open <= end && next.close > end && end < latest; next = find(end)) end = next.close;
  return end === instant ? null : Math.min(end, latest);
}

/** The opening at an instant, or the next one. */
function openings(window: Window, accountTimezone: string): (instant: number) => Opening {
  const { days, timezone = accountTimezone } = window;
  const [from, to] = [minutesOf(window.from) * minuteMs, minutesOf(window.to) * minuteMs];
  const closing = to > from ? to : to + dayMs;
  const opens = new Set(days);

  return (instant) => {
    const today = Math.floor(wallTimeAt(instant, timezone) / dayMs);
    // The window of the day before may still be open; the eighth day has the weekday of the first.
    for (let day = today - 1; day <= today + 8; day += 1) {
      if (!opens.has(isoWeekday(day))) continue;
      const [open, close] = [day * dayMs + from, day * dayMs + closing].map((wall) => firstInstantAt(wall, timezone)) as [number, number];
      if (instant <= open || instant < close) return { since: instant, open, close };
    }
    throw new Error("a window has a day within each week");
  };
}

interface Opening {
  /** This is the next opening for times from here to `close`. */
  since: number;
  open: number;
  close: number;
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** 1 (Monday) to 7, of a day since 1970-01-01, which was a Thursday. */
const isoWeekday = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;
