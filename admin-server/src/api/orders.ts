import { orderTimelineInput } from "shared/core/input/log";
import { phoneInput } from "shared/core/input/values";
import { isDropped, reportedStatuses } from "shared/core/message";
import { optOutKey } from "shared/core/person-key";
import type { Role } from "shared/core/role";
import { orderNames } from "shared/core/search";
import { uuidTime } from "shared/core/uuid";
import { findOrders, findOrdersByNumber, type OrderRow, listEvents, type EventRow } from "shared/db/event/log";
import { orderId } from "shared/db/ids";
import { listNotificationsOfEvents, type NotificationRow, listNotifications } from "shared/db/notification/log";
import { listOptOuts } from "shared/db/opt-out";
import type { Sql } from "shared/db/statement";
import { explainMessage } from "shared/platform/errors/classify";
import { readMessage, readOrder, readRowCodec } from "shared/sealing/account-rows";
import type { RowCodec } from "shared/secrets/row-codec";
import type { z } from "zod";
import type { CallerContext } from "../context.ts";
import { notFound } from "../trpc/errors.ts";
import { present } from "../trpc/paging.ts";
import { requirePhoneSearch, shownNumber, shownPhone, shownText } from "../trpc/roles.ts";
import { searchEvents } from "../trpc/search.ts";
import { router, viewerProcedure, operatorProcedure } from "../trpc/trpc.ts";
import { readOwnNames, withParties } from "./event-list.ts";

export const ordersRouter = router({
  timeline: viewerProcedure.input(orderTimelineInput).query(async ({ ctx, input }) => readTimeline(ctx, input)),
});

/** Beyond these only the newest are shown. Real orders have far fewer. */
const mostEvents = 200;
const mostMessages = 2000;

/** An order's events, and the steps of its messages, by time. */
async function readTimeline({ sql, vault, caller }: CallerContext, input: z.output<typeof orderTimelineInput>) {
  const { accountId, role } = caller;
  // An order's number may be a phone: a hit would reveal that it is there.
  const isShown = (phones: string[]) => !("reference" in input) || shownNumber(input.reference, phones, role) === input.reference;
  if (!isShown([])) requirePhoneSearch(role, "");
  const rows = await readRowCodec(sql, vault, accountId);
  const [order, ...others] = await findNamed(sql, rows, accountId, input);
  if (order === undefined) throw notFound("order");
  const read = readOrder(rows, order);
  const page = { from: null, before: null, limit: mostEvents + 1 };
  const events = await listEvents(sql, accountId, { siteId: order.site_id, orderId: order.id }, page);
  const shown = events.slice(0, mostEvents);
  const ids = shown.map(({ id }) => id);
  const messages = (await listNotificationsOfEvents(sql, order.site_id, ids, mostMessages)).map((row) => readMessage(rows, row));
  const phones = messages.map(({ to_phone }) => to_phone);
  if (!isShown(phones)) throw notFound("order");
  const entries = [
    ...shown.map((event) => presentEventEntry({ ...event, orderNumber: read.number ?? read.external_id }, role, phones)),
    ...messages.flatMap((message) => presentMessageEntries(message, role)),
  ];
  return {
    order: presentOrder(read, role, phones),
    /** Other orders that the reference names too, the newest ten. */
    others: others.map((other) => presentName(readOrder(rows, other), role)),
    // The sort is stable: at equal times an event stays before its messages, and a message's steps stay in order.
    entries: entries.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1)),
    /** Older entries are left out. */
    truncated: events.length > mostEvents || messages.length === mostMessages,
  };
}

/**
 * The orders that the input names: the one whose id the reference is at the site, then those whose number it is, the one with the newest event first. Our id
 * of an order is derived from the site's, or from the number of an order without one.
 */
async function findNamed(sql: Sql, rows: Pick<RowCodec, "spellings">, accountId: string, input: z.output<typeof orderTimelineInput>) {
  if ("id" in input) return await findOrders(sql, accountId, [input.id]);
  const { siteId, reference } = input;
  const names = [reference, ...orderNames(reference)];
  // With its sign it is a number, unless the shop's ids have the sign too.
  const byId = names
    .filter((name) => name === reference || /^[#\uff03]/u.test(name))
    .map((value) => orderId(siteId, { kind: "id", value }));
  const byNumber = names.map((value) => orderId(siteId, { kind: "number", value }));
  const derived = await findOrders(sql, accountId, [...byId, ...byNumber]);
  const spelled = names.flatMap((number) => rows.spellings(number, "customer_order.number"));
  const numbered = await findOrdersByNumber(sql, accountId, siteId, spelled, mostOthers);
  const named = [...derived.filter(({ id }) => byId.includes(id)), ...numbered, ...derived];
  return [...new Map(named.map((order) => [order.id, order])).values()].slice(0, mostOthers + 1);
}

const mostOthers = 10;

const presentName = (row: OrderRow, role: Role, phones: string[] = []) => ({
  id: row.id,
  externalId: row.external_id && shownNumber(row.external_id, phones, role),
  number: row.number && shownNumber(row.number, phones, role),
});

const presentOrder = (row: OrderRow, role: Role, phones: string[]) => ({
  ...presentName(row, role, phones),
  ...present(row, "site_id", "status", "total", "currency", "created_at", "updated_at"),
});

/** An event with the number of its order, else with the order's id at the site; null where it is of none. */
type Numbered = EventRow & { orderNumber: string | null };

const presentEventEntry = (row: Numbered, role: Role, phones: string[] = []) => ({
  at: new Date(uuidTime(row.id)).toISOString(),
  kind: "event" as const,
  what: "received" as const,
  event: {
    id: row.id,
    name: shownText(row.name, role),
    ...present(row, "test", "dry_run", "chat", "order_id"),
    orderNumber: row.orderNumber && shownNumber(row.orderNumber, phones, role),
  },
});

/** One entry for each step of a message. The platform reports times to the second and by its own clock, so a step is never dated before an earlier one. */
function presentMessageEntries(row: NotificationRow, role: Role) {
  const { id, status } = row;
  const message = {
    ...present(row, "id", "event_id", "template", "language"),
    toPhone: shownPhone(row.to_phone, role),
    ...present(row, "status", "resend_of", "due_at"),
  };
  const error = isDropped(status) ? presentError(row, role) : null;
  const made = { at: new Date(uuidTime(id)).toISOString(), kind: "message" as const, what: "made" as const, message, error };
  // A failure comes after the send alone: a later delivery may have proved it wrong.
  const before = { sent: made.at, delivered: made.at, read: made.at, failed: made.at };
  const happened = reportedStatuses.flatMap((what) => {
    const told = row[`${what}_at`]?.toISOString();
    if (told === undefined) return [];
    const at = told > before[what] ? told : before[what];
    if (what !== "failed") before.delivered = before.read = at;
    if (what === "sent") before.failed = at;
    return [{ ...made, at, what, error: what === "failed" ? presentError(row, role) : null }];
  });
  return [made, ...happened];
}

/** Null when a later status proved the failure wrong. */
function presentError(row: NotificationRow, role: Role) {
  const { error_code: code } = row;
  if (code === null) return null;
  const reason = row.error_reason && shownText(row.error_reason, role);
  return { code, reason, explanation: explainMessage({ ...row, error_code: code, error_reason: reason }) };
}

export const customersRouter = router({
  /** Everything about one phone by time: events that name it, messages to it and their steps, and whether it has opted out. */
  timeline: operatorProcedure.input(phoneInput).query(async ({ ctx, input: { phone } }) => {
    const { sql, vault, caller } = ctx;
    const { accountId, role } = caller;
    const rows = await readRowCodec(sql, vault, accountId);
    const page = { from: null, before: null, limit: mostMessagesToPhone + 1 };
    const spelled = rows.spellings(phone, "notification.to_phone");
    const [stored, { ids }, optOuts] = await Promise.all([
      listNotifications(sql, accountId, { phone: spelled, everyAttempt: true }, page),
      searchEvents({ ...caller, sql, rows }, { phone }, page),
      listOptOuts(sql, accountId, { hashes: [vault.fingerprint(optOutKey(accountId, phone))] }, { before: null, limit: 10 }),
    ]);
    const events = await withParties(ctx, await listEvents(sql, accountId, { ids }, { ...page, limit: mostEvents }));
    const messages = stored.slice(0, mostMessagesToPhone).map((message) => readMessage(rows, message));
    const named = events.find(({ customer }) => customer !== null)?.customer ?? null;
    const nameOf = await readOwnNames(sql, accountId, messages);
    const entries = [
      ...events.map((event) => presentEventEntry(event, role)),
      ...messages.flatMap((message) => presentMessageEntries(message, role)),
    ];
    return {
      /** The customer's name in the newest event that has one, or that of one of the site's own people; null for other phones of its own. */
      name: messages[0] === undefined ? named : nameOf(messages[0], named),
      optOuts: optOuts.map(({ id, scope, source, since }) => ({ id, scope, source, since: since.toISOString() })),
      entries: entries.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1)),
      /** Older entries are left out. */
      truncated: stored.length > mostMessagesToPhone || events.length === mostEvents,
      /** False if the account encrypts customers' data: then only events with a message are listed. */
      isSearched: !rows.seals,
    };
  }),
});

/** Only the newest messages are shown. */
const mostMessagesToPhone = 200;
