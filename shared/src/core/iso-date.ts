import { firstInstantAt, wallTime } from "./time-zone.ts";

/** Longer than any date; a longer text is not looked at. */
const longest = 64;
/** Extended or basic, with a `T` or a space; `Z`, `UTC` or an offset with or without colon, perhaps behind a space. */
const pattern =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[Tt ](\d\d)(?::?([0-5]\d)(?::?([0-5]\d|60)(?:[.,](\d{1,9}))?)?)? ?(Z|z|UTC|[+-]\d\d(?::?[0-5]\d)?)?)?$/;

/**
 * The instant, in milliseconds, of an ISO 8601 date or date-time as shops write them; null for anything else. A date alone stands for its beginning.
 * Without an offset it is a local time of the zone.
 */
export function parseIsoDate(text: string, timezone: string): number | null {
  const match = text.length > longest ? null : pattern.exec(text.trim());
  if (match === null) return null;
  const part = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(3), part(4), part(5), part(6), part(7)];
  const isEndOfDay = hour === 24 && minute === 0 && second === 0;
  if (!isDay(year, month, day) || (hour > 23 && !isEndOfDay)) return null;
  const fraction = Math.floor(Number(`0.${match[8] ?? "0"}`) * 1000);
  const wall = wallTime(year, month, day, hour, minute, second) + fraction;
  const offset = match[9];
  return offset === undefined ? firstInstantAt(wall, timezone) : shiftBy(wall, offset);
}

const isDay = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= new Date(wallTime(year, month + 1, 0)).getUTCDate();

function shiftBy(wall: number, offset: string): number | null {
  if (!/^[+-]/.test(offset)) return wall;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(3).replace(":", ""))];
  if (hours > 23) return null;
  const shift = (hours * 60 + minutes) * 60_000;
  return offset.startsWith("+") ? wall - shift : wall + shift;
}
