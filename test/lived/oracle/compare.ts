import type { Pool } from "shared/db/statement";
import type { MessageRow, Rows } from "./rows.ts";

/** An account to check, with its owner's ways to the product. */
export interface Checked {
  /** The database by its owner. */
  sql: Pool;
  call: (path: string, input: unknown) => Promise<unknown>;
  /** A file below `/export/`, such as `notifications.csv?status=failed`, by a session with a fresh proof. */
  file: (path: string) => Promise<string>;
  accountId: string;
  timezone: string;
  now: Date;
}

/** A number, or a list, that is not what the rows say. */
export interface Finding {
  where: string;
  said: unknown;
  counted: unknown;
  note: string;
}

type Identified = { id: string };

/** What every area compares with. */
export interface Look extends Omit<Checked, "sql" | "call"> {
  rows: Rows;
  /** The messages as people count them, the newest first: of attempts that a resend replaced only the newest. */
  messages: MessageRow[];
  /** Those of `messages` that statistics and alerts count: tests are left out. */
  counted: MessageRow[];
  /** The ids of sites that are not deleted. */
  sites: string[];
  same: (where: string, said: unknown, counted: unknown, note?: string) => void;
  ask: <T>(path: string, input: unknown) => Promise<T>;
  /** A list page by page to its end, or to so many items. */
  list: <T>(path: string, input?: object, most?: number) => Promise<T[]>;
  /** Compares the ids of a list with rows in their order. */
  lists: (path: string, input: object, expected: readonly Identified[], note?: string) => Promise<void>;
}

/** How many numbers and lists have been compared so far, by account. */
export const comparisons: Record<string, number> = {};

/** The most items of a list that are read; of the whole log and of all events every one. */
const most = 2_000;
const mostFindings = 1_000;

export function openLook({ call, file, accountId, timezone, now }: Checked, rows: Rows, findings: Finding[]): Look {
  // A resend that was cancelled before it left gives the place back to the message that it repeated.
  const isVoid = ({ resendOf, status }: MessageRow): boolean => resendOf !== null && status === "cancelled";
  const replaced = new Set(rows.messages.filter((row) => !isVoid(row)).map(({ resendOf }) => resendOf));
  const messages = newest(rows.messages.filter((row) => !replaced.has(row.id) && !isVoid(row)));
  const tests = new Map(rows.events.map(({ id, test }) => [id, test]));
  const ask = async <T>(path: string, input: unknown): Promise<T> => (await call(path, input)) as T;
  const same: Look["same"] = (where, said, counted, note = "") => {
    comparisons[accountId] = (comparisons[accountId] ?? 0) + 1;
    const [one, other] = [ordered(said), ordered(counted)];
    if (findings.length < mostFindings && !equal(one, other)) findings.push({ where, ...difference(one, other), note });
  };
  const list = async <T>(path: string, input: object = {}, count = most): Promise<T[]> => {
    const items: T[] = [];
    for (let cursor: string | null = null; ;) {
      const page: { items: T[]; nextCursor: string | null } = await ask(path, { ...input, limit: 200, ...(cursor !== null && { cursor }) });
      items.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === null || items.length >= count) return items.slice(0, count);
    }
  };
  const lists: Look["lists"] = async (path, input, expected, note) =>
    same(`${path} ${JSON.stringify(input)}`, idsOf(await list<Identified>(path, input)), idsOf(expected.slice(0, most)), note);
  const counted = messages.filter(({ eventId, test }) => !(tests.get(eventId) ?? test));
  const sites = idsOf(rows.sites.filter(({ deletedAt }) => deletedAt === null));
  return { file, accountId, timezone, now, rows, messages, counted, sites, same, ask, list, lists };
}

const equal = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** The same value with sorted members, dates as their texts, and maps as objects. */
function ordered(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Map) return ordered(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, ordered(member)]));
}

/** Of lists the first items that differ, of objects the members that do. */
function difference(said: unknown, counted: unknown): { said: unknown; counted: unknown } {
  if (Array.isArray(said) && Array.isArray(counted)) {
    const longer: unknown[] = said.length > counted.length ? said : counted;
    const at = longer.findIndex((_, index) => !equal(said[index], counted[index]));
    const part = (of: unknown[]) => ({ items: of.length, at, is: of[at] });
    return { said: part(said), counted: part(counted) };
  }
  if (!isObject(said) || !isObject(counted)) return { said, counted };
  const unlike = Object.keys({ ...said, ...counted }).filter((name) => !equal(said[name], counted[name]));
  const part = (of: Record<string, unknown>) => Object.fromEntries(unlike.map((name) => [name, of[name]]));
  return { said: part(said), counted: part(counted) };
}

/** By id, which begins with the time. */
export const newest = <Row extends Identified>(rows: readonly Row[]): Row[] => rows.toSorted((one, other) => (one.id < other.id ? 1 : -1));
export const idsOf = (rows: readonly Identified[]): string[] => rows.map(({ id }) => id);

/** The members of an object that the text names. */
export const pick = (object: object, names: string): object =>
  Object.fromEntries(names.split(" ").map((name) => [name, object[name as keyof typeof object]]));

export function groupBy<Row>(rows: readonly Row[], key: (row: Row) => string | null): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = key(row);
    const group = groups.get(name ?? "") ?? [];
    group.push(row);
    if (name !== null) groups.set(name, group);
  }
  return groups;
}

/** How many rows there are of each key; rows without one are left out. */
export const countBy = <Row>(rows: readonly Row[], key: (row: Row) => string | null): Record<string, number> =>
  Object.fromEntries([...groupBy(rows, key)].map(([name, { length }]) => [name, length]));
