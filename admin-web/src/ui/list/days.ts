import { firstInstantAt, wallTimeAt } from "shared/core/time-zone";
import { isDay } from "./search-params.ts";

export const dayMs = 86_400_000;

/** The time zone of times in lists, and of the days by which lists are filtered. */
const readersZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The day, YYYY-MM-DD, that is this many days before today in the zone. */
export const daysBack = (days: number, now = new Date(), zone = readersZone): string =>
  new Date(wallTimeAt(now.getTime(), zone) - days * dayMs).toISOString().slice(0, "YYYY-MM-DD".length);

/** The day of an ISO 8601 instant in the zone; a day is its own. */
export const dayOf = (dayOrTime: string, zone = readersZone): string =>
  dayOrTime === "" || isDay(dayOrTime) ? dayOrTime : daysBack(0, new Date(dayOrTime), zone);

/**
 * Of how many days there is data, from the first of `dates` to the day `end`, where that is so much less than the period's `length` that nothing compares with it;
 * else null: a shop may sell nothing on a few days.
 */
export function fewDays(dates: readonly string[], end: string, length: number): number | null {
  const covered = dates.length === 0 ? 0 : (Date.parse(end) - Math.min(...dates.map((date) => Date.parse(date)))) / dayMs;
  return covered > 0 && covered <= length * 0.75 ? covered : null;
}

/** The begin of the day that is `later` days after another one, as an ISO 8601 instant. */
export const midnight = (day: string, later: number, zone = readersZone): string =>
  new Date(firstInstantAt(Date.parse(day) + later * dayMs, zone)).toISOString();
