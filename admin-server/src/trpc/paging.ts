import { createHash } from "node:crypto";
import { isUuid, uuidFloor } from "shared/core/uuid";
import { say } from "shared/core/wording";
import { isSiteOfAccount } from "shared/db/site";
import { type CamelCase, type LogPage, type Sql, camelCase, mostWalked } from "shared/db/statement";
import { Refusal, notFound } from "./errors.ts";

/**
 * A page of a list that is ordered by id, or by what `keyOf` and `isKey` say. `list` names the list: a cursor of another list, or an invented one, is
 * BAD_REQUEST. `read` is asked for one row more than the limit, which only shows that there is a next page. The next page goes on from where the reading
 * stopped before the page was full (`readTo`); `nextCursor` is null at the end.
 */
export async function readPage<Row extends { id: string }, Item>(
  list: string,
  { cursor, limit }: { cursor?: string | null | undefined; limit: number },
  read: (page: { before: string | null; limit: number }) => PromiseLike<readonly Row[] | Walked<Row>>,
  present: (row: Row) => Item,
  { keyOf = (row) => row.id, isKey = isUuid }: { keyOf?: (row: Row) => string; isKey?: (key: string) => boolean } = {},
) {
  const { rows, readTo } = walkedOf(await read({ before: readCursor(list, cursor ?? null, isKey), limit: limit + 1 }));
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? keyOf(last) : readTo;
  const nextCursor = next === null ? null : writeCursor(list, next);
  return { items: shown.map(present), nextCursor };
}

/** The rows of a page of `everyRow`. */
export const pageSize = 500;

/** Every row of a list, a page at a time. `keyOf`: where the next page begins. */
export async function* everyRow<Row extends object>(
  read: (page: { before: string | null; limit: number }) => PromiseLike<readonly Row[] | Walked<Row>>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row> {
  let before: string | null = null;
  do {
    const walked: Walked<Row> = walkedOf(await read({ before, limit: pageSize }));
    yield* walked.rows;
    before = nextKey(walked, pageSize, keyOf);
  } while (before !== null);
}

/** Where the next page begins; null at the end. */
export function nextKey<Row>({ rows, readTo }: Walked<Row>, limit: number, keyOf: (row: Row) => string): string | null {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return last === undefined ? readTo : keyOf(last);
}

const walkedOf = <Row>(found: readonly Row[] | Walked<Row>): Walked<Row> => ("rows" in found ? found : { rows: found, readTo: null });

/** Rows, and the id at which the reading stopped before the page was full; null at the end of the list. */
export interface Walked<Row> {
  rows: readonly Row[];
  readTo: string | null;
}

/** For how many milliseconds a page, or a count, goes on with rows that no index finds. */
const mostWalkedMs = 40;

/** The rows of a page's first stretch, by which it is often full. */
const firstWalked = 1_000;

/** How a stretch of so many rows is read, and the id at which it ends; null for the last one. */
export type StretchOf<How> = (rest: LogPage, most: number) => Promise<{ how: How; readTo: string | null }>;

/** A list whose stretches differ by their ends alone. */
export const endingAt =
  <How = undefined>(endOf: (rest: LogPage, most: number) => Promise<string | null>, how = undefined as How): StretchOf<How> =>
  async (rest, most) => ({ how, readTo: await endOf(rest, most) });

/**
 * The stretches of a page that are looked at one after the other where no index gives the rows of a filter in order: at least one, until another like the last would take too long. Each is
 * four times as long as the one before, up to `mostWalked`.
 */
export async function* inStretches<How>(page: LogPage, stretchOf: StretchOf<How>, { mostMs = mostWalkedMs, most = mostWalked } = {}) {
  const until = performance.now() + mostMs;
  let { before } = page;
  let rows = most;
  let began: number;
  do {
    began = performance.now();
    const rest: LogPage = { ...page, before };
    const { how, readTo } = await stretchOf(rest, rows);
    yield { range: { ...rest, from: readTo ?? page.from }, how, readTo };
    before = readTo;
    rows = Math.min(4 * rows, mostWalked);
  } while (before !== null && 2 * performance.now() - began < until);
}

/** A page's rows, a stretch at a time until it is full. */
export async function readStretches<Row, How>(
  page: LogPage,
  stretchOf: StretchOf<How>,
  read: (range: LogPage, how: How) => PromiseLike<readonly Row[]>,
): Promise<Walked<Row>> {
  const rows: Row[] = [];
  let walked: Walked<Row> = { rows, readTo: null };
  for await (const { range, how, readTo } of inStretches(page, stretchOf, { most: firstWalked })) {
    rows.push(...(await read({ ...range, limit: page.limit - rows.length }, how)));
    walked = { rows, readTo };
    if (rows.length >= page.limit) break;
  }
  return walked;
}

/** Rows of lists are counted no further. */
export const mostCounted = 10_000;

/** How many rows a list has behind its cursor. `next`: the cursor by which a further call counts the rest; null where there is none, or too much is counted. */
export async function countRest<Counted extends { readTo: string | null }>(
  list: string,
  { cursor }: { cursor?: string | null | undefined },
  count: (page: { before: string | null; limit: number }) => Promise<Counted>,
  isKey = isUuid,
) {
  const { readTo, ...counted } = await count({ before: readCursor(list, cursor ?? null, isKey), limit: 0 });
  return { ...counted, next: readTo === null ? null : writeCursor(list, readTo) };
}

/**
 * How many rows of a range there are, up to `mostCounted`, and as far as the time allows; `more`: there may be others, behind `readTo` where it is not too many. `count`
 * counts a part of it.
 */
export async function countStretches<How>(
  range: LogPage,
  stretchOf: StretchOf<How>,
  count: (part: LogPage, how: How) => Promise<number>,
): Promise<{ total: number; more: boolean; readTo: string | null }> {
  let total = 0;
  let end: string | null = null;
  for await (const { range: part, how, readTo } of inStretches(range, stretchOf)) {
    total += await count({ ...part, limit: mostCounted + 1 - total }, how);
    end = readTo;
    if (total > mostCounted) return { total: mostCounted, more: true, readTo: null };
  }
  return { total, more: end !== null, readTo: end };
}

function readCursor(list: string, cursor: string | null, isKey: (key: string) => boolean): string | null {
  if (cursor === null) return null;
  const decoded = Buffer.from(cursor, "base64url").toString("utf8");
  const key = decoded.slice(checkLength);
  if (writeCursor(list, key) !== cursor || !isKey(key)) {
    throw new Refusal(
      "BAD_REQUEST",
      say("cursor: not valid for this list; use nextCursor of the previous page, or leave it out for the first page"),
    );
  }
  return key;
}

const checkLength = 8;

/** The cursor: a check and the key, so that a cursor of another list or a mistyped one is recognized. */
function writeCursor(list: string, key: string): string {
  const check = createHash("sha256").update(`${list}\n${key}`).digest("base64url").slice(0, checkLength);
  return Buffer.from(check + key).toString("base64url");
}

/** The range of ids on a page of the log. An id carries its time, so times and cursor bound the same range. */
export function toLogPage(
  range: { from?: number | undefined; to?: number | undefined },
  { before: cursor, limit }: { before: string | null; limit: number } = { before: null, limit: 0 },
): LogPage {
  const from = range.from === undefined ? null : floorOf(range.from);
  const afterLast = range.to === undefined ? null : floorOf(range.to + 1);
  const before = cursor === null || (afterLast !== null && afterLast < cursor) ? afterLast : cursor;
  return { from, before, limit };
}

/** The latest time that fits into a version 7 UUID. */
const lastMs = 2 ** 48 - 1;

const floorOf = (ms: number): string => uuidFloor(Math.min(Math.max(ms, 0), lastMs));

/** Lets a filter name none of the account's sites, or one of them; deleted ones too, since their log outlives them. @throws TRPCError NOT_FOUND */
export async function requireSite(sql: Sql, accountId: string, siteId: string | null | undefined): Promise<void> {
  if (siteId != null && !(await isSiteOfAccount(sql, accountId, siteId))) throw notFound("site");
}

/** A value as the API has it: a time as ISO 8601. */
type Shown<Value> = Value extends Date ? string : Value;

/** Columns of a row by their names in the API. */
export const present = <Row extends object, Name extends keyof Row & string>(row: Row, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [camelCase(name), row[name] instanceof Date ? row[name].toISOString() : row[name]])) as {
    [Column in Name as CamelCase<Column>]: Shown<Row[Column]>;
  };
