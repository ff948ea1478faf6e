import type { notificationFilterInput } from "shared/core/input/log";
import { readLogSearch, splitPhone } from "shared/core/log-search";
import { isE164 } from "shared/core/phone";
import { may } from "shared/core/role";
import { fewestSigns, orderNames, readSearch } from "shared/core/search";
import { uuidFloor, uuidTime } from "shared/core/uuid";
import { eventsToAmong, findEventsById, findEventsOfOrders, findEventsTo, findNamedOrders, listRecipients } from "shared/db/event/log";
import { findEventIds, type FoundEvents, type MatchingEvents, matchingEvents, readSought, type SearchFilter } from "shared/db/event/search";
import { type FoundBy, isNarrow, type NotificationFilter, spanMs } from "shared/db/notification/log";
import { findByWaMessageIds } from "shared/db/notification/reported";
import { findFew, findFoundEnd, findNotificationWalkEnd } from "shared/db/notification/walk";
import { listPhonesNamed } from "shared/db/site-recipient";
import type { LogPage, Sql } from "shared/db/statement";
import { readRowCodec } from "shared/sealing/account-rows";
import { readValue, type RowCodec } from "shared/secrets/row-codec";
import type { z } from "zod";
import type { AdminContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { endingAt, type StretchOf, toLogPage } from "./paging.ts";
import { requirePhoneSearch, shownNumber } from "./roles.ts";

/** Who searches: as far as the role may look. */
export type Searcher = { sql: Sql; rows: RowCodec } & Pick<Caller, "accountId" | "role">;
type Span = Pick<LogPage, "from" | "before">;
type SoughtText = { siteId: string | undefined; search: string } & Pick<SearchFilter, "inAnyOrder">;

/** The most events that one look finds. */
const mostFound = 1_000;

const foundOf = (ids: string[]): MatchingEvents => ({ ids, readTo: ids.length < mostFound ? null : (ids.at(-1) ?? null) });

/** What either has found, as far as both have looked. */
function eitherOf(one: MatchingEvents, other: MatchingEvents): MatchingEvents {
  const readTo = laterOf(one.readTo, other.readTo);
  const ids = [...new Set([...one.ids, ...other.ids])].filter((id) => readTo === null || id >= readTo);
  return { ids: ids.toSorted((a, b) => (a < b ? 1 : -1)), readTo };
}

const laterOf = (one: string | null, other: string | null): string | null =>
  one !== null && (other === null || one > other) ? one : other;

/** The newest of the account's events whose words match a text. */
async function searchWords(by: Searcher, sought: SoughtText, page: Span): Promise<MatchingEvents & Pick<FoundEvents, "words">> {
  const filter = wordsOf(by, sought);
  if (filter === null) return { ids: [], readTo: null, words: null };
  return await findEventIds(by.sql, by.accountId, filter, { ...page, limit: mostFound });
}

/** The words that a text asks for; null where it has none. */
function wordsOf({ role }: Searcher, { search, ...sought }: SoughtText): SearchFilter | null {
  const words = readSearch(search);
  return words === null ? null : { ...sought, search: words, onlyOpen: !may(role, "seePhones") };
}

/** The orders that a text names by number or id, as far as the role may look. */
async function findOrders({ sql, accountId, role, rows }: Searcher, { siteId, search }: SoughtText): Promise<string[]> {
  // A viewer finds no order by a number that is masked for them.
  const isShown = (phones: string[]) => (name: string) => shownNumber(name, phones, role) === name;
  const references = orderNames(search).filter(isShown([]));
  const numbers = references.flatMap((name) => rows.spellings(name, "customer_order.number"));
  if (numbers.length === 0) return [];
  // Ids are spelled as they are typed, with a sign or without.
  const ids = references.filter((name) => name === search.trim() || /^#?[^#\uff03\s]/u.test(name));
  const orders = await findNamedOrders(sql, accountId, siteId, { references: ids, numbers });
  if (may(role, "seePhones") || search.length < fewestOfPhone || orders.length === 0) return orders;
  const events = await findEventsOfOrders(sql, accountId, orders, { ...noBounds, limit: mostFound });
  const phones = (await listRecipients(sql, accountId, events)).map(({ id, to_phone }) =>
    readValue(rows, to_phone, "notification.to_phone", id, ""),
  );
  return references.every(isShown(phones.filter((phone) => phone !== ""))) ? orders : [];
}

const fewestOfPhone = 7;
const noBounds: Span = { from: null, before: null };

/** The newest of the account's events of these orders. */
const searchOrders = async ({ sql, accountId }: Searcher, orders: readonly string[], page: Span): Promise<MatchingEvents> =>
  orders.length === 0 ? foundOf([]) : foundOf(await findEventsOfOrders(sql, accountId, orders, { ...page, limit: mostFound }));

/** The newest of the account's events with a message to a phone, or that name it. */
async function searchPhone(by: Searcher, siteId: string | undefined, phone: string, page: Span): Promise<MatchingEvents> {
  const spelled = by.rows.spellings(phone, "notification.to_phone");
  const to = await findEventsTo(by.sql, by.accountId, siteId, spelled, { ...page, limit: mostFound });
  const ids = to.map(({ event_id }) => event_id);
  const last = to.length < mostFound ? null : (to.at(-1)?.id ?? null);
  // Where so many were sent again lately, the next page begins behind their events.
  const readTo = last !== null && page.before !== null && last >= page.before ? ids.reduce((a, b) => (a < b ? a : b)) : last;
  return eitherOf({ ids, readTo }, await searchWords(by, { siteId, search: phone }, page));
}

export type SoughtEvents = Partial<Record<"siteId" | "search" | "phone" | "orderNumber", string | undefined>>;

/** The newest of the account's events that match the search, the phone and the order's number. @throws TRPCError FORBIDDEN */
export async function searchEvents(by: Searcher, { siteId, search, phone, orderNumber }: SoughtEvents, page: Span) {
  requirePhoneSearch(by.role, phone);
  const text = search === undefined ? null : readText(by, { siteId, search });
  if (orderNumber !== undefined) {
    const found = await searchOrders(by, await findOrders(by, { siteId, search: orderNumber }), page);
    const ofPhone = phone === undefined ? found.ids : await ofPhoneAmong(by, siteId, phone, found.ids);
    return { ...found, ids: text === null ? ofPhone : await text.among(ofPhone) };
  }
  if (phone === undefined) return text === null ? foundOf([]) : await text.newest(page);
  const found = await searchPhone(by, siteId, phone, page);
  return { ...found, ids: text === null ? found.ids : await text.among(found.ids) };
}

async function ofPhoneAmong(by: Searcher, siteId: string | undefined, phone: string, ids: readonly string[]): Promise<string[]> {
  const sent = await eventsToAmong(by.sql, by.accountId, by.rows.spellings(phone, "notification.to_phone"), ids);
  const words = wordsOf(by, { siteId, search: phone });
  const naming = words === null ? [] : await matchingEvents(by.sql, by.accountId, words, ids);
  return ids.filter((id) => sent.includes(id) || naming.includes(id));
}

/** What a search text finds: the newest events, or those among some. */
function readText(by: Searcher, sought: SoughtText) {
  const { sql, accountId } = by;
  const { siteId, search } = sought;
  const as = readLogSearch(search);
  const whole = { ...noBounds, limit: mostFound };
  if ("anyId" in as)
    return {
      newest: async (page: Span) => foundOf(await findEventsById(sql, accountId, as.anyId, { ...page, limit: mostFound })),
      among: (ids: readonly string[]) => findEventsById(sql, accountId, as.anyId, whole, ids),
    };
  const phone = "phone" in as && may(by.role, "seePhones") ? as.phone : null;
  return {
    newest: async (page: Span) => {
      const found = eitherOf(await searchWords(by, sought, page), await searchOrders(by, await findOrders(by, sought), page));
      return phone === null ? found : eitherOf(found, await searchPhone(by, siteId, phone, page));
    },
    among: async (ids: readonly string[]) => {
      const words = wordsOf(by, sought);
      const matching = new Set(words === null ? [] : await matchingEvents(sql, accountId, words, ids));
      const ofOrders = await findEventsOfOrders(sql, accountId, await findOrders(by, sought), whole, ids);
      const toPhone = phone === null ? [] : await ofPhoneAmong(by, siteId, phone, ids);
      for (const id of [...ofOrders, ...toPhone]) matching.add(id);
      return ids.filter((id) => matching.has(id));
    },
  };
}

/**
 * How a page of the message log is read: by which codec, in which range, and by which filter in each stretch of it. `filter`: without the search.
 * @throws TRPCError FORBIDDEN when a role that sees phones masked looks for one
 */
export async function readingMessages(
  { sql, vault }: Pick<AdminContext, "sql" | "vault">,
  { accountId, role }: Pick<Caller, "accountId" | "role">,
  input: z.output<typeof notificationFilterInput>,
  page?: { before: string | null; limit: number },
) {
  const rows = await readRowCodec(sql, vault, accountId);
  const by = { sql, accountId, role, rows };
  const range = toLogPage(input, page);
  const { from: _, to: __, phone, waMessageId, search, ...others } = splitPhone(input);
  requirePhoneSearch(role, phone);
  const filter: NotificationFilter = {
    ...others,
    phone: phone === undefined ? undefined : rows.spellings(phone, "notification.to_phone"),
    sentAs: waMessageId === undefined ? undefined : await findSentAs(by, waMessageId),
  };
  const few = (search ?? filter.failedFrom) === undefined || isNarrow(filter) ? null : await findFew(sql, accountId, filter, range);
  if (few !== null) filter.ids = few;
  const walking = (how: NotificationFilter) => endingAt((rest, most) => findNotificationWalkEnd(sql, accountId, how, rest, most), how);
  if (search === undefined) return { rows, range, filter, stretchOf: walking(filter) };
  const sought = { siteId: input.siteId, search };
  const meant = await readMeaning(by, sought);
  if ("anyId" in meant) return { rows, range, filter, stretchOf: walking({ ...filter, anyId: meant.anyId }) };
  const found = {
    phone: meant.phones.flatMap((each) => rows.spellings(each, "notification.to_phone")),
    sentAs: meant.isPhone || !likeMessageId.test(search) ? [] : await findSentAs(by, search),
    orders: await findOrders(by, sought),
  };
  const words = isNarrow(filter) ? wordsOf(by, sought) : null;
  const asked = { eventIds: [], words: words && (await readSought(sql, accountId, words)), orders: found.orders, readTo: null };
  const find = async (part: Span) => {
    const byWords = await searchWords(by, sought, part);
    return { ...eitherOf(byWords, await searchOrders(by, found.orders, part)), words: byWords.words };
  };
  const stretchOf: StretchOf<NotificationFilter> = async (rest) => {
    const { readTo, ...events } = isNarrow(filter) ? asked : await searchSpans(find, rest);
    const how = { ...filter, found: { ...found, ...events } };
    const end = await findFoundEnd(sql, accountId, how, { ...rest, from: readTo ?? rest.from });
    return { how, readTo: end ?? readTo };
  };
  return { rows, range, filter, stretchOf };
}

/**
 * Events of whole spans of time, in which most of their messages were made. Where there are no others, those that were made later are known by their events; where all
 * are of one span, each message is asked.
 */
async function searchSpans(
  find: (page: Span) => Promise<MatchingEvents & Pick<FoundEvents, "words">>,
  { from, before }: Span,
): Promise<{ readTo: string | null } & Partial<FoundBy> & Pick<FoundEvents, "eventIds" | "words">> {
  const { ids, words, readTo: last } = await find({ from: null, before });
  if (last === null) return { eventIds: ids, words: null, orders: [], readTo: null };
  const readTo = uuidFloor((Math.floor(uuidTime(last) / spanMs) + 1) * spanMs);
  if (before !== null && readTo >= before) return { eventIds: [], words, isEach: true, readTo: null };
  return { eventIds: ids, words, readTo: from !== null && readTo <= from ? null : readTo };
}

/** What a text finds in a list that is in another order than the events: these where they are few, else what each row's event is asked for. */
export async function readFoundEvents(by: Searcher, sought: SoughtText): Promise<FoundEvents> {
  const orders = await findOrders(by, sought);
  const [byWords, ofOrders] = [await searchWords(by, { ...sought, inAnyOrder: true }, noBounds), await searchOrders(by, orders, noBounds)];
  const { ids, readTo } = eitherOf(byWords, ofOrders);
  return readTo === null ? { eventIds: ids, words: null, orders: [] } : { eventIds: [], words: byWords.words, orders };
}

/**
 * What a text means in a list of messages: the id that it is, else the phones that it is or that people of that name have.
 * @throws TRPCError FORBIDDEN when a role that sees phones masked looks for one
 */
export async function readMeaning({ sql, accountId, role }: Searcher, { siteId, search }: SoughtText) {
  const as = readLogSearch(search);
  if ("anyId" in as) return as;
  const isPhone = "phone" in as;
  if (isPhone && shownNumber(search, [], role) !== search) requirePhoneSearch(role, as.phone);
  const text = search.trim();
  if (!may(role, "seePhones") || (!isPhone && text.length < fewestSigns)) return { isPhone, phones: [] };
  return { isPhone, phones: isPhone ? [as.phone] : await listPhonesNamed(sql, accountId, siteId, text) };
}

/** Only what may be an id of the platform is looked for among all: each week's index of them is read whole. */
const likeMessageId = /^wamid\.|^\S{20,}$/i;

/** The ids of the messages that the platform knows by this id. */
async function findSentAs({ sql, accountId, rows }: Searcher, id: string): Promise<string[]> {
  const [spelled, phone] = [rows.spellings(id, "notification.wa_message_id"), phoneOfMessageId(id)];
  const near = phone === null ? [] : await findByWaMessageIds(sql, accountId, spelled, rows.spellings(phone, "notification.to_phone"));
  // The platform may have sent to another form of the phone.
  return (near.length > 0 ? near : await findByWaMessageIds(sql, accountId, spelled, null)).map((row) => row.id);
}

/** The phone that such an id tells: its bytes have two others, the length and the digits. */
function phoneOfMessageId(id: string): string | null {
  const bytes = Buffer.from(id.slice("wamid.".length), "base64");
  const phone = `+${bytes.toString("latin1", 3, 3 + (bytes[2] ?? 0))}`;
  return isE164(phone) ? phone : null;
}
