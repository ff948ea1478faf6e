import { isUuid } from "shared/core/uuid";

// Readers of search parameters answer undefined for empty and invalid values.

type Readers = Readonly<Record<string, (value: unknown) => unknown>>;

/** A page's search parameters, by their readers. */
export type SearchOf<Page extends Readers> = { [Name in keyof Page]?: ReturnType<Page[Name]> };

/** Reads a page's search parameters. Every key is in the answer: the router keeps keys that are left out. */
export const searchReader =
  <Page extends Readers>(readers: Page) =>
  (search: Readonly<Record<string, unknown>>): SearchOf<Page> =>
    Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read(search[name])])) as SearchOf<Page>;

/** Changes some of a page's search parameters and keeps the others; null, and any value that `read` does not know, removes one. */
export const searchChanger =
  <Search extends object>(read: (search: Record<string, unknown>) => Search) =>
  (changes: { [Name in keyof Search]: Search[Name] | string | null }) =>
  (now: Record<string, unknown>): Search =>
    read({ ...now, ...changes });

/** A text. The router parses digits as a number. */
export function searchText(value: unknown): string | undefined {
  const written = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return written === "" ? undefined : written;
}

/** Texts, a list or separated by commas. */
export function searchTexts(value: unknown): string[] | undefined {
  const texts = (Array.isArray(value) ? value : (searchText(value)?.split(",") ?? [])).flatMap((each) => searchText(each) ?? []);
  return texts.length === 0 ? undefined : texts;
}

/** E.164; the router reads it as a number, without its plus. */
export function searchPhone(value: unknown): string | undefined {
  const digits = searchText(value)?.replace(/^\+/u, "");
  return digits !== undefined && /^[1-9]\d{6,14}$/u.test(digits) ? `+${digits}` : undefined;
}

export const searchId = (value: unknown): string | undefined => (typeof value === "string" && isUuid(value) ? value : undefined);

/** A day in the reader's time zone, YYYY-MM-DD. */
export const searchDay = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/u.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

/** A day as `searchDay` takes it, or an ISO 8601 instant. */
export const searchDayOrTime = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/u.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : searchDay(value);

export const searchOneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined => values.find((each) => each === value);

export const searchAmong =
  <T extends string>(values: readonly T[]) =>
  (value: unknown): T | undefined =>
    searchOneOf(values, value);

/** A flag. The router parses true and false as booleans. */
export const searchFlag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

/** True, or left out. */
export const searchTrue = (value: unknown): true | undefined => (value === true ? true : undefined);

interface DaySpan {
  /** Days in the reader's time zone, YYYY-MM-DD, or ISO 8601 instants; both included. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The span as ISO 8601 instants for the server, both included. */
export const daySpan = ({ from, to }: DaySpan): DaySpan => ({
  from: from && (isDay(from) ? midnight(from, 0).toISOString() : from),
  to: to && (isDay(to) ? new Date(midnight(to, 1).getTime() - 1).toISOString() : to),
});

export const isDay = (dayOrTime: string): boolean => dayOrTime.length === "YYYY-MM-DD".length;

/** An instant in the form of a `datetime-local` field: YYYY-MM-DDTHH:MM in the reader's zone. */
export const toLocalMinute = (at: number): string => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Midnight in the reader's zone, `later` days after `day`. */
function midnight(day: string, later: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later);
}

/** `path` with the set filters as its query. */
export function fileAddress(path: string, filter: object): string {
  const given = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
