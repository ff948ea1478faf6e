const dayMs = 86_400_000;

export interface DayBounds {
  /** ISO 8601. */
  from: string;
  /** Not included. */
  to: string;
}

/** The `days` days that end with today in the zone, or those before them. They stay the same all day, so that what is asked of the server does too. */
export function dayBounds(timeZone: string, days: number, now: Date): DayBounds & { before: DayBounds } {
  const today = dayIn(timeZone, now);
  const midnight = (daysAgo: number) => midnightOf(timeZone, today - daysAgo * dayMs).toISOString();
  const from = midnight(days - 1);
  return { from, to: midnight(-1), before: { from: midnight(2 * days - 1), to: from } };
}

/** The calendar day of the zone at the instant, as its midnight in UTC. */
function dayIn(timeZone: string, at: Date): number {
  return Math.floor(wallTime(timeZone, at.getTime()) / dayMs) * dayMs;
}

/** The zone's own midnight; twice, since the first guess may lie on the other side of a change of the clocks. */
function midnightOf(timeZone: string, day: number): Date {
  const guess = day - offset(timeZone, day);
  return new Date(day - offset(timeZone, guess));
}

const offset = (timeZone: string, at: number): number => wallTime(timeZone, at) - at;

/** What the zone's clocks show, as if it were UTC. */
function wallTime(timeZone: string, at: number): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
