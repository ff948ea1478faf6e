import { english, type Write } from "../wording.ts";
import type { Schedule } from "./schedule.ts";

/**
 * A schedule as a text: `one hour after the event, between 9:00 and 20:00, Monday to Saturday, in the shop's time; not if order.created comes with the
 * same cart.id`. Null: at once.
 */
export function describeSchedule(schedule: Schedule | null, t: Write = english): string {
  if (schedule === null) return t("at once");
  const { start, window, ...others } = describeParts(schedule, t);
  const first = [start, window].filter(Boolean).join(t(", ")) || t("at once");
  return [first, ...Object.values(others)].filter(Boolean).join("; ");
}

/** When the wait ends, first of all, and the hours that it ends in; nothing if it does at once. */
export function describeStart(schedule: Schedule, t: Write): string[] {
  const { start, window } = describeParts(schedule, t);
  return [start, window].filter((part) => part !== undefined);
}

/** What each member of a schedule says. */
export function describeParts(schedule: Schedule, t: Write) {
  const { window, cancelOn, restartBy, dueAt, expiresSeconds, throttle } = schedule;
  return {
    start: describeMoment(schedule, t),
    window: window && describeWindow(window, t),
    past: dueAt && (dueAt.ifPast === "send" ? t("at once if that is past") : t("not if that is past")),
    cancelOn: cancelOn && t("not if {events} arrives with the same {by}", { events: listed(t, cancelOn.events, "or"), by: cancelOn.by }),
    restartBy: restartBy && t("the wait restarts if the event arrives again with the same {by}", { by: restartBy }),
    throttle:
      throttle &&
      t("at most {max, plural, one {once} other {# times}} in {duration} to one phone", {
        max: throttle.max,
        duration: describeDuration(throttle.seconds, t),
      }),
    expiresSeconds: expiresSeconds && t("never more than {duration} late", { duration: describeDuration(expiresSeconds, t) }),
  };
}

function describeMoment({ delaySeconds, dueAt }: Schedule, t: Write): string | undefined {
  if (delaySeconds !== undefined) return t("{duration} after the event", { duration: describeDuration(delaySeconds, t) });
  if (dueAt === undefined) return undefined;
  const { path, offsetSeconds } = dueAt;
  if (offsetSeconds === 0) return t("at the time in {path}", { path });
  const duration = describeDuration(Math.abs(offsetSeconds), t);
  return offsetSeconds < 0
    ? t("{duration} before the time in {path}", { duration, path })
    : t("{duration} after the time in {path}", { duration, path });
}

function describeWindow({ days, from, to, timezone }: NonNullable<Schedule["window"]>, t: Write): string {
  const values = { from: plainTime(from), to: plainTime(to), days: describeDays(days, t) };
  return timezone === undefined
    ? t("between {from} and {to}, {days}, in the shop's time", values)
    : t("between {from} and {to}, {days}, in the time of {timezone}", { ...values, timezone });
}

const plainTime = (time: string): string => time.replace(/^0/, "");

/** 1 to 7, as ISO counts weekdays. */
export const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

const dayNames: Record<(typeof weekdays)[number], (t: Write) => string> = {
  Monday: (t) => t("Monday"),
  Tuesday: (t) => t("Tuesday"),
  Wednesday: (t) => t("Wednesday"),
  Thursday: (t) => t("Thursday"),
  Friday: (t) => t("Friday"),
  Saturday: (t) => t("Saturday"),
  Sunday: (t) => t("Sunday"),
};

function describeDays(days: readonly number[], t: Write): string {
  if (days.length === 7) return t("every day");
  const runs: number[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run?.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  const nameOf = (day: number = 1): string => dayNames[weekdays[day - 1] ?? "Monday"](t);
  return listed(
    t,
    runs.flatMap((run) => (run.length > 2 ? t("{first} to {last}", { first: nameOf(run[0]), last: nameOf(run.at(-1)) }) : run.map(nameOf))),
    "and",
  );
}

const units: [size: number, write: (t: Write, count: number) => string][] = [
  [86_400, (t, count) => t("{count, plural, one {one day} other {# days}}", { count })],
  [3_600, (t, count) => t("{count, plural, one {one hour} other {# hours}}", { count })],
  [60, (t, count) => t("{count, plural, one {one minute} other {# minutes}}", { count })],
  [1, (t, count) => t("{count, plural, one {one second} other {# seconds}}", { count })],
];

/** `one hour`, `24 hours`, `2 days and 30 minutes`. */
function describeDuration(seconds: number, t: Write): string {
  if (seconds === 86_400) return t("{count, plural, one {one hour} other {# hours}}", { count: 24 });
  let rest = seconds;
  const parts = units.flatMap(([size, write]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count === 0 ? [] : write(t, count);
  });
  return listed(t, parts, "and");
}

/** `a`, `a or b`, `a, b or c`. */
function listed(t: Write, items: readonly string[], word: "and" | "or"): string {
  const last = items.at(-1) ?? "";
  const first = items.slice(0, -1).join(t(", "));
  if (items.length < 2) return last;
  return word === "and" ? t("{first} and {last}", { first, last }) : t("{first} or {last}", { first, last });
}
