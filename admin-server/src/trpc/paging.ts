import { createHash } from "node:crypto";
import type { notificationFilterInput } from "shared/core/input/log";
import { type LogSearch, readLogSearch, splitPhone } from "shared/core/log-search";
import { may } from "shared/core/role";
import { fewestSigns, orderNames, readSearch } from "shared/core/search";
import { isUuid, uuidFloor } from "shared/core/uuid";
import { say } from "shared/core/wording";
import { findEventsOfOrders, listRecipients } from "shared/db/event/log";
import { findEventIds } from "shared/db/event/search";
import { findByWaMessageIds, findNotificationWalkEnd, type NotificationFilter } from "shared/db/notification/log";
import { isSiteOfAccount } from "shared/db/site";
import { listPhonesNamed } from "shared/db/site-recipient";
import { type CamelCase, type LogPage, type Sql, camelCase, mostWalked } from "shared/db/statement";
import { readRowCodec } from "shared/sealing/account-rows";
import { readValue, type RowCodec } from "shared/secrets/row-codec";
import type { z } from "zod";
import type { AdminContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { Refusal, notFound } from "./errors.ts";
import { requirePhoneSearch, shownNumber } from "./roles.ts";

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
  const found = await read({ before: readCursor(list, cursor ?? null, isKey), limit: limit + 1 });
  const { rows, readTo } = "rows" in found ? found : { rows: found, readTo: null };
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
  read: (page: { before: string | null; limit: number }) => PromiseLike<readonly Row[]>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row> {
  let before: string | null = null;
  do {
    const rows: readonly Row[] = await read({ before, limit: pageSize });
    yield* rows;
    const last: Row | undefined = rows.length === pageSize ? rows.at(-1) : undefined;
    before = last === undefined ? null : keyOf(last);
  } while (before !== null);
}

/** Rows, and the id at which the reading stopped before the page was full; null at the end of the list. */
export interface Walked<Row> {
  rows: readonly Row[];
  readTo: string | null;
}

/** For how many milliseconds a page, or a count, goes on with rows that no index finds. */
const mostWalkedMs = 60;

/** The rows of a page's first stretch, by which it is often full. */
const firstWalked = 1_000;

/** The id at which a stretch of so many rows ends; null for the last one. */
type EndOf = (rest: LogPage, most: number) => Promise<string | null>;

/**
 * The stretches of a page that are looked at one after the other where no index gives the rows of a filter in order: at least one, until another like the last would take too long. Each is
 * four times as long as the one before, up to `mostWalked`.
 */
export async function* inStretches(page: LogPage, endOf: EndOf, { mostMs = mostWalkedMs, most = mostWalked } = {}) {
  const until = performance.now() + mostMs;
  let { before } = page;
  let rows = most;
  let began: number;
  do {
    began = performance.now();
    const rest: LogPage = { ...page, before };
    const readTo = await endOf(rest, rows);
    yield { range: { ...rest, from: readTo ?? page.from }, readTo };
    before = readTo;
    rows = Math.min(4 * rows, mostWalked);
  } while (before !== null && 2 * performance.now() - began < until);
}

/** A page's rows, a stretch at a time until it is full. */
export async function readStretches<Row>(
  page: LogPage,
  endOf: EndOf,
  read: (range: LogPage) => PromiseLike<readonly Row[]>,
): Promise<Walked<Row>> {
  const rows: Row[] = [];
  let walked: Walked<Row> = { rows, readTo: null };
  for await (const { range, readTo } of inStretches(page, endOf, { most: firstWalked })) {
    rows.push(...(await read({ ...range, limit: page.limit - rows.length })));
    walked = { rows, readTo };
    if (rows.length >= page.limit) break;
  }
  return walked;
}

/** Rows of lists are counted no further. */
export const mostCounted = 10_000;

/** How many rows of a range there are, up to `mostCounted`, and as far as the time allows; `more`: there may be others. `count` counts a part of it. */
export async function countStretches(
  range: LogPage,
  endOf: EndOf,
  count: (part: LogPage) => Promise<number>,
): Promise<{ total: number; more: boolean }> {
  let total = 0;
  let isWhole = true;
  for await (const { range: part, readTo } of inStretches(range, endOf)) {
    total += await count({ ...part, limit: mostCounted + 1 - total });
    isWhole = readTo === null;
    if (total > mostCounted) break;
  }
  return { total: Math.min(total, mostCounted), more: total > mostCounted || !isWhole };
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

/**
 * How a page of the message log is read: by which filter and codec, in which range, and where a stretch of it ends.
 * @throws TRPCError FORBIDDEN when a role that sees phones masked looks for one
 */
export async function readingMessages(
  { sql, vault }: Pick<AdminContext, "sql" | "vault">,
  { accountId, role }: Pick<Caller, "accountId" | "role">,
  input: z.output<typeof notificationFilterInput>,
  page?: { before: string | null; limit: number },
) {
  const rows = await readRowCodec(sql, vault, accountId);
  const range = toLogPage(input, page);
  const { from: _, to: __, phone, waMessageId, search, ...others } = splitPhone(input);
  requirePhoneSearch(role, phone);
  const searched = search === undefined ? null : readLogSearch(search);
  if (searched !== null && "phone" in searched && shownNumber(search ?? "", [], role) !== search) requirePhoneSearch(role, searched.phone);
  const spell = (text: string, column: "notification.to_phone" | "notification.wa_message_id") => rows.spellings(text, column);
  // The platform's id tells the phone, behind three bytes: few messages go to it. It may be another form of the one that they were sent to.
  const sentAs = async (id: string): Promise<string[]> => {
    const [phone = ""] = /(?<=^[^]{3})\d+/.exec(Buffer.from(id.slice("wamid.".length), "base64").toString("latin1")) ?? [];
    const spelled = spell(id, "notification.wa_message_id");
    const near = await findByWaMessageIds(sql, accountId, spelled, spell(`+${phone}`, "notification.to_phone"));
    return (near.length > 0 ? near : await findByWaMessageIds(sql, accountId, spelled, null)).map((row) => row.id);
  };
  const phonesOf = async (text: string, as: LogSearch) => {
    if ("phone" in as) return [as.phone];
    return text.length < fewestSigns ? [] : await listPhonesNamed(sql, accountId, input.siteId, text);
  };
  const found = async (text: string, as: LogSearch) => ({
    phone: may(role, "seePhones") ? (await phonesOf(text.trim(), as)).flatMap((each) => spell(each, "notification.to_phone")) : [],
    sentAs: "waMessageId" in as && likeMessageId.test(text) ? await sentAs(as.waMessageId) : [],
    eventIds: await searchEvents({ sql, accountId, role, rows }, { siteId: input.siteId, search: text }, range),
  });
  const filter: NotificationFilter = {
    ...others,
    anyId: searched !== null && "anyId" in searched ? searched.anyId : undefined,
    found: search === undefined || searched === null || "anyId" in searched ? undefined : await found(search, searched),
    phone: phone === undefined ? undefined : spell(phone, "notification.to_phone"),
    sentAs: waMessageId === undefined ? undefined : await sentAs(waMessageId),
  };
  return { rows, range, filter, endOf: (rest: LogPage, most?: number) => findNotificationWalkEnd(sql, accountId, filter, rest, most) };
}

/** Only what may be an id of the platform is looked for among all: each week's index of them is read whole. */
const likeMessageId = /^wamid\.|^\S{20,}$/i;

/** The most events that one page of a search looks through. */
export const mostFound = 1_000;

/** The newest of the account's events that match a text, or whose order has it for its number or id, as far as the role may look. */
export async function searchEvents(by: Searcher, { siteId, search }: SoughtText, { from, before }: LogPage): Promise<string[]> {
  const page = { from, before, limit: mostFound };
  const sought = readSearch(search);
  const [byWords, byOrder] = await Promise.all([
    sought === null ? [] : findEventIds(by.sql, by.accountId, { siteId, search: sought, onlyOpen: !may(by.role, "seePhones") }, page),
    searchOrders(by, { siteId, search }, page),
  ]);
  // Those of the order itself stand, however many newer ones only begin with its number.
  const others = newestFound(byWords).slice(0, mostFound - byOrder.length);
  return newestFound(byOrder, others);
}

type Searcher = { sql: Sql; rows: RowCodec } & Pick<Caller, "accountId" | "role">;
type SoughtText = { siteId: string | undefined; search: string };

/** The newest of the account's events whose order has the text for its number or id. */
export async function searchOrders({ sql, accountId, role, rows }: Searcher, { siteId, search }: SoughtText, { from, before }: LogPage) {
  // A viewer finds no order by a number that is masked for them.
  const isShown = (phones: string[]) => (name: string) => shownNumber(name, phones, role) === name;
  const references = orderNames(search.trim()).filter(isShown([]));
  const cased = new Set(references.flatMap((name) => [name, name.toUpperCase(), name.toLowerCase()]));
  const numbers = [...cased].flatMap((name) => rows.spellings(name, "customer_order.number"));
  if (numbers.length === 0) return [];
  const ids = await findEventsOfOrders(sql, accountId, siteId, { references, numbers }, { from, before, limit: mostFound });
  if (may(role, "seePhones") || search.length < fewestOfPhone || ids.length === 0) return ids;
  const phones = (await listRecipients(sql, accountId, ids)).map(({ id, to_phone }) =>
    readValue(rows, to_phone, "notification.to_phone", id, ""),
  );
  return references.every(isShown(phones.filter((phone) => phone !== ""))) ? ids : [];
}

const fewestOfPhone = 7;

/** The ids of all lists, the newest first, at most `mostFound`. */
export const newestFound = (...lists: string[][]): string[] =>
  [...new Set(lists.flat())].toSorted((a, b) => (a < b ? 1 : -1)).slice(0, mostFound);

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
