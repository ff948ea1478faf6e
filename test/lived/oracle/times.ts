export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
const quarterMs = hourMs / 4;

/** The instant that an id carries, in milliseconds. */
export const madeAt = (id: string): number => parseInt(id.replaceAll("-", "").slice(0, 12), 16);
export const iso = (ms: number): string => new Date(ms).toISOString();
export const timeOf = (row: { id: string } | undefined): string | null => (row === undefined ? null : iso(madeAt(row.id)));

export const within = <Row extends { id: string }>(rows: readonly Row[], from: number, to = Infinity): Row[] =>
  rows.filter(({ id }) => madeAt(id) >= from && madeAt(id) < to);

const clocks = new Map<string, { date: string; hour: number }>();

/** The day (`2026-11-20`) and the hour that clocks of the zone show. They change at quarters of an hour alone, so each is read once. */
export function localTime(ms: number, timeZone: string): { date: string; hour: number } {
  const quarter = Math.floor(ms / quarterMs) * quarterMs;
  const key = `${timeZone} ${quarter}`;
  const known = clocks.get(key);
  if (known !== undefined) return known;
  const shown = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" }).format(quarter);
  const clock = { date: shown.slice(0, 10), hour: Number(shown.slice(11, 13)) };
  clocks.set(key, clock);
  return clock;
}

/** The instant at which the zone's day of `ms` began, found by going back. */
export function dayBegin(ms: number, timezone: string): number {
  const { date } = localTime(ms, timezone);
  let at = Math.floor(ms / quarterMs) * quarterMs;
  while (localTime(at - quarterMs, timezone).date === date) at -= quarterMs;
  return at;
}
