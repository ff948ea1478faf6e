import { isUuid } from "shared/core/uuid";

// Readers of search parameters: undefined for what is empty or invalid. The router keeps a key that is left out, so each key is always answered.

/** The router reads digits in an address as a number. */
export function searchText(value: unknown): string | undefined {
  const written = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return written === "" ? undefined : written;
}

export const searchId = (value: unknown): string | undefined => (typeof value === "string" && isUuid(value) ? value : undefined);

/** A day of the reader's own, YYYY-MM-DD. */
export const searchDay = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/u.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

export const searchOneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined => values.find((each) => each === value);

/** The router reads true and false in an address as what they are. */
export const searchFlag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

interface DaySpan {
  /** Days of the reader's own, YYYY-MM-DD; both belong to the span whole. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The same span as the server takes it: as instants, of which both belong to it. */
export const daySpan = ({ from, to }: DaySpan): DaySpan => ({
  from: from && midnight(from, 0).toISOString(),
  to: to && new Date(midnight(to, 1).getTime() - 1).toISOString(),
});

/** In the reader's zone, `later` days after the named one. */
function midnight(day: string, later: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later);
}

/** `path` with what is given of the filters as its query. */
export function fileAddress(path: string, filter: object): string {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
