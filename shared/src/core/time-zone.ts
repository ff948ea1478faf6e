import { hourMs } from "./durations.ts";
import { attempt, remember } from "./text.ts";

/** The date (months from 1) and time that clocks show at the instant, in the time zone (IANA name; UTC when there is no such zone). */
export function localTime(at: Date, timezone: string) {
  const local = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of timeFormat(timezone).formatToParts(at))
    if (type in local) local[type as keyof typeof local] = Number(value);
  return local;
}

/** A local time as one number: the milliseconds since the epoch at which clocks in UTC show the same. Years below 100 are taken literally. */
export const wallTime = (year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number =>
  new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;

/** The time that clocks show at the instant, both in milliseconds. */
export const wallTimeAt = (instant: number, timezone: string): number => instant + offsetAt(instant, timezone);

/** Before 1900 zones have the offset of that year's beginning. */
const firstKnown = Date.UTC(1900, 0);

function offsetAt(instant: number, timezone: string): number {
  const known = Math.max(Math.floor(instant / 1000) * 1000, firstKnown);
  const { year, month, day, hour, minute, second } = localTime(new Date(known), timezone);
  return wallTime(year, month, day, hour, minute, second) - known;
}

/** The farthest that zones are from UTC, with some room. */
const farthest = 16 * hourMs;

/**
 * The first instant at which clocks show the local time or a later one: the first of two when clocks were put back, the change itself when they were put
 * forward past it.
 */
export function firstInstantAt(wall: number, timezone: string): number {
  let [before, after] = [wall - farthest, wall + farthest];
  const offsets = [offsetAt(before, timezone), offsetAt(after, timezone)];
  const fitting = offsets.map((offset) => wall - offset).filter((instant) => wallTimeAt(instant, timezone) === wall);
  if (fitting.length > 0) return Math.min(...fitting);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallTimeAt(middle, timezone) < wall) before = middle;
    else after = middle;
  }
  return after;
}

/** Formats are kept, since making one is slow, and an installation has few time zones: those of its accounts and bindings. */
const timeFormat = remember(200, (timezone: string) => {
  const digits = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
  return new Intl.DateTimeFormat("en-US", { ...digits, hourCycle: "h23", timeZone: knownZone(timezone) });
});

/** The time zone, or UTC where this machine does not know it. */
export const knownZone = (timeZone: string): string =>
  attempt(() => new Intl.DateTimeFormat("en-US", { timeZone }).resolvedOptions().timeZone && timeZone, null) ?? "UTC";
