import type { Schedule } from "./schedule.ts";

/**
 * A schedule in words: `one hour after the event, between 9:00 and 20:00, Monday to Saturday, in the shop's time; not if order.created comes with the same
 * cart.id`. Null: at once.
 */
export function describeSchedule(schedule: Schedule | null): string {
  if (schedule === null) return "at once";
  const { window, cancelOn, restartBy, dueAt, expiresSeconds, throttle } = schedule;
  const moment = describeMoment(schedule);
  const clauses = [
    [moment, window && describeWindow(window)].filter(Boolean).join(", ") || "at once",
    dueAt && (dueAt.ifPast === "send" ? "at once if that is past" : "not if that is past"),
    cancelOn && `not if ${joined(cancelOn.events, "or")} comes with the same ${cancelOn.by}`,
    restartBy && `the wait starts again if the event comes again with the same ${restartBy}`,
    throttle && `at most ${throttle.max === 1 ? "once" : `${throttle.max} times`} in ${describeDuration(throttle.seconds)} to one phone`,
    expiresSeconds && `never more than ${describeDuration(expiresSeconds)} late`,
  ];
  return clauses.filter(Boolean).join("; ");
}

function describeMoment({ delaySeconds, dueAt }: Schedule): string | undefined {
  if (delaySeconds !== undefined) return `${describeDuration(delaySeconds)} after the event`;
  if (dueAt === undefined) return undefined;
  const { path, offsetSeconds } = dueAt;
  if (offsetSeconds === 0) return `at the time in ${path}`;
  return `${describeDuration(Math.abs(offsetSeconds))} ${offsetSeconds < 0 ? "before" : "after"} the time in ${path}`;
}

function describeWindow({ days, from, to, timezone }: NonNullable<Schedule["window"]>): string {
  const zone = timezone === undefined ? "in the shop's time" : `in the time of ${timezone}`;
  return `between ${plainTime(from)} and ${plainTime(to)}, ${describeDays(days)}, ${zone}`;
}

const plainTime = (time: string): string => time.replace(/^0/, "");

/** 1 to 7, as ISO counts weekdays. */
export const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

function describeDays(days: readonly number[]): string {
  if (days.length === 7) return "every day";
  const runs: number[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run?.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  const nameOf = (day: number | undefined): string => weekdays[(day ?? 1) - 1] ?? "";
  return joined(
    runs.flatMap((run) => (run.length > 2 ? `${nameOf(run[0])} to ${nameOf(run.at(-1))}` : run.map(nameOf))),
    "and",
  );
}

const units = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

/** `one hour`, `24 hours`, `2 days and 30 minutes`. */
function describeDuration(seconds: number): string {
  if (seconds === 86_400) return "24 hours";
  let rest = seconds;
  const parts = units.flatMap(([size, name]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count === 0 ? [] : `${count === 1 ? "one" : count} ${name}${count === 1 ? "" : "s"}`;
  });
  return joined(parts, "and");
}

const joined = (texts: readonly string[], word: string): string =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1)}`;
