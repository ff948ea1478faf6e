import { languageName } from "shared/core/text";
import { knownZone } from "shared/core/time-zone";
import { isolated, locale, t } from "./language.ts";

// Numbers and times in the reader's own language and time zone. Times arrive as ISO 8601 text. What lists format in each row has its formatter made once: to make
// one takes forty times as long as to use it.

const count = new Intl.NumberFormat(locale);
const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const dayTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const exactTime = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" });
const shortDay = { day: "numeric", month: "short" } as const;
const monthDay = new Intl.DateTimeFormat(locale, shortDay);
const yearDay = new Intl.DateTimeFormat(locale, { ...shortDay, year: "numeric" });
const clock = { hour: "numeric", minute: "2-digit" } as const;
const weekdayTime = new Intl.DateTimeFormat(locale, { weekday: "short", ...clock });
const monthDayTime = new Intl.DateTimeFormat(locale, { ...shortDay, ...clock });

/** Without the stop of a short month, behind which a sentence may end. */
const unstopped = (text: string): string => text.replace(/\.$/u, "");

/** Only the time for today, otherwise date and time. */
export function formatTime(at: string): string {
  const date = new Date(at);
  return (isToday(date) ? time : dayTime).format(date);
}

const second = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
const daySecond = new Intl.DateTimeFormat(locale, { ...shortDay, ...clock, second: "2-digit" });
const yearSecond = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });

/** Time with seconds; the date only if it is not today. */
export function formatSeconds(at: string): string {
  const date = new Date(at);
  if (isToday(date)) return second.format(date);
  return (date.getFullYear() === new Date().getFullYear() ? daySecond : yearSecond).format(date);
}

/**
 * When something was or will be, as short as it can be told: `4 min ago` and `in 4 min` within an hour, else the time of day, on other days the date, with
 * the year if it is another one. What is to come has its time of day too: `tomorrow, 9:00 AM`, within a week the weekday, within a month the date.
 */
export function formatWhen(at: string, now = Date.now()): string {
  const [date, today] = [new Date(at), new Date(now)];
  const seconds = (now - date.getTime()) / 1000;
  if (Math.abs(seconds) < 60) return t("now");
  // What has begun is a minute only when it is over; what is to come is one until it has begun.
  const minutes = seconds > 0 ? Math.floor(seconds / 60) : Math.ceil(-seconds / 60);
  if (minutes < 60)
    return seconds > 0
      ? t("{minutes} min ago", { minutes: formatCount(minutes) })
      : t("in {minutes} min", { minutes: formatCount(minutes) });
  if (date.toDateString() === today.toDateString()) return time.format(date);
  const days = Math.round((new Date(date).setHours(12, 0, 0, 0) - new Date(today).setHours(12, 0, 0, 0)) / 86_400_000);
  if (days === 1) return formatParts([dayName.format(1, "day"), time.format(date)]);
  if (days > 0 && days < 30) return (days < 7 ? weekdayTime : monthDayTime).format(date);
  return unstopped((date.getFullYear() === today.getFullYear() ? monthDay : yearDay).format(date));
}

const zonedTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long" });

/** Day and time to the second with the zone, as drawers have it. */
export const formatZoned = (at: string): string => zonedTime.format(new Date(at));

/** Full date and time, with the time zone. */
export const formatExactTime = (at: string): string => exactTime.format(new Date(at));

const isToday = (date: Date): boolean => date.toDateString() === new Date().toDateString();

const dayName = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "always", style: "long" });
const spanUnits = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** How far off a time is: `in 3 hours`, `2 days ago`; within a minute `now`. */
export function formatRelative(at: string, now = Date.now()): string {
  const seconds = (Date.parse(at) - now) / 1000;
  // Rounded first, so that 59.7 minutes are an hour.
  const found = spanUnits.find(([, length]) => Math.abs(Math.round(seconds / 60) * 60) >= length);
  return found === undefined ? t("now") : relative.format(Math.round(seconds / found[1]), found[0]);
}

/** About how long: `40 seconds`, `12 minutes`, `3 hours`. */
export function formatDuration(seconds: number): string {
  const [unit, length] = spanUnits.find(([, each]) => Math.round(seconds / 60) * 60 >= each) ?? ["minute", 60];
  return seconds < 59.5 ? formatUnit(Math.max(1, Math.round(seconds)), "second") : formatUnit(Math.round(seconds / length), unit);
}

/** `30 days`. */
export const formatUnit = (count: number, unit: "second" | "minute" | "hour" | "day"): string =>
  count.toLocaleString(locale, { style: "unit", unit, unitDisplay: "long" });

/** The language's name for a WhatsApp language code such as `pt_BR`; the code itself where it names none. */
export const formatLanguage = (code: string): string => languageName(code, languageNames);

const languageNames = new Intl.DisplayNames(locale, { type: "language" });

export const formatCount = (value: number): string => count.format(value);

/** `share`: 0 to 1. */
export const formatPercent = (share: number) => isolated(share.toLocaleString(locale, { style: "percent", maximumFractionDigits: 1 }));

/** What can stand beside others; what is empty is left out. */
export type Part = string | false | null | undefined;

/** Names and values beside each other, each in its own order. */
export const formatParts = (parts: readonly Part[], between = t(", ")): string =>
  parts.flatMap((part) => (part ? isolated(part) : [])).join(between);

/** A day is a date in every zone. `day`: YYYY-MM-DD. */
export const formatDay = (day: string): string =>
  unstopped(new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, { ...shortDay, timeZone: "UTC" }));

/** Weekday, date and time, in the reader's time zone unless another is given. */
export const formatMoment = (at: string, timeZone?: string): string =>
  new Date(at).toLocaleString(locale, {
    timeZone: timeZone && knownZone(timeZone),
    weekday: "short",
    ...shortDay,
    year: "numeric",
    ...clock,
  });

/** Weekday and time. `at`: milliseconds. */
export const formatTimeIn = (timeZone: string, at: number): string =>
  new Date(at).toLocaleString(locale, { timeZone: knownZone(timeZone), weekday: "short", ...clock });

/** `day`: 0 for Monday. */
export const formatWeekday = (day: number, weekday: "short" | "long"): string =>
  new Date(Date.UTC(2024, 0, 1 + day)).toLocaleDateString(locale, { timeZone: "UTC", weekday });

/** A full hour of the clock, as people write it: `9:00`. */
export const formatClock = (hour: number): string => time.format(new Date(2024, 0, 1, hour));
