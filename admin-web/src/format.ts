/** How what is shown is written: in the reader's own language and zone. Times come as ISO 8601 text. */

/** The time alone when it is today's, else with its day. */
export function formatTime(at: string): string {
  const date = new Date(at);
  return isToday(date)
    ? date.toLocaleTimeString(undefined, { timeStyle: "short" })
    : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

const second = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const daySecond = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
});
const yearSecond = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** To the second, and of the day only what is not today's. */
export function formatSeconds(at: string): string {
  const date = new Date(at);
  if (isToday(date)) return second.format(date);
  return (date.getFullYear() === new Date().getFullYear() ? daySecond : yearSecond).format(date);
}

/** To the second, with the zone's name. */
export const formatExactTime = (at: string): string => new Date(at).toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });

function isToday(date: Date): boolean {
  return date.toDateString() === new Date().toDateString();
}

/** A language by the platform's code of it, `pt_BR`, in the reader's words. */
export const formatLanguage = (code: string): string => languageNames.of(code.replace("_", "-")) ?? code;

const languageNames = new Intl.DisplayNames(undefined, { type: "language" });

export const formatCount = (count: number): string => count.toLocaleString();

/** `share`: 0 to 1. */
export const formatPercent = (share: number): string => share.toLocaleString(undefined, { style: "percent", maximumFractionDigits: 1 });

/** A calendar day, YYYY-MM-DD, in few letters. */
export const formatDay = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, { timeZone: "UTC", day: "numeric", month: "short" });

/** The weekday and time of an instant in a zone of the time zone database. */
export const formatTimeIn = (timeZone: string, at: number): string =>
  new Date(at).toLocaleString(undefined, { timeZone, weekday: "short", hour: "numeric", minute: "2-digit" });
