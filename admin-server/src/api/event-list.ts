import type { countEventsInput } from "shared/core/input/log";
import { splitPhone } from "shared/core/log-search";
import { may, type Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import { type EventFilter, type EventRow, findOrders, findEventWalkEnd, listEvents, listRecipients } from "shared/db/event/log";
import { findCustomers } from "shared/db/event/search";
import type { NotificationRow } from "shared/db/notification/log";
import { listOwnRecipients } from "shared/db/site-recipient";
import { countRows, type LogPage } from "shared/db/statement";
import { readOrder, readRowCodec } from "shared/sealing/account-rows";
import { readValue, unreadableText } from "shared/secrets/row-codec";
import type { z } from "zod";
import type { AdminContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { countRest, countStretches, present, readStretches, type StretchOf, toLogPage } from "../trpc/paging.ts";
import { shownNumber, shownPhone, shownText, shownWhole } from "../trpc/roles.ts";
import { searchEvents } from "../trpc/search.ts";

type CallContext = Pick<AdminContext, "sql" | "vault"> & { caller: Caller };

type Input = z.output<typeof countEventsInput>;

/** A page of events. @throws TRPCError FORBIDDEN */
export async function readEvents(context: CallContext, input: Input, page: LogPage) {
  const { sql, caller } = context;
  return await readStretches(page, await readingEvents(context, input), (part, how) => listEvents(sql, caller.accountId, how, part));
}

/** How many events a list has. @throws TRPCError FORBIDDEN */
export async function countEvents(context: CallContext, input: Input) {
  const { sql, caller } = context;
  const stretchOf = await readingEvents(context, input);
  return await countRest("events", input, (page) =>
    countStretches(toLogPage(input, page), stretchOf, (part, filter) => countRows(sql, listEvents(sql, caller.accountId, filter, part))),
  );
}

/** By which filter each stretch of a list of events is read. */
async function readingEvents({ sql, vault, caller }: CallContext, input: Input): Promise<StretchOf<EventFilter>> {
  const { siteId, event: name, orderId, orderNumber, test, siteMode, dryRun, unreached, outcome, search, phone } = splitPhone(input);
  const filter: EventFilter = { siteId, name, orderId, test, siteMode, dryRun, unreached, outcome };
  if ((search ?? phone ?? orderNumber) !== undefined) {
    const by = { ...caller, sql, rows: await readRowCodec(sql, vault, caller.accountId) };
    return async ({ from, before }) => {
      const { ids, readTo } = await searchEvents(by, { siteId, search, phone, orderNumber }, { from, before });
      const isWithin = (id: string) => (from === null || id >= from) && (before === null || id < before);
      return { how: { ...filter, ids: ids.filter(isWithin) }, readTo };
    };
  }
  // Indexes have the events of tests, dry runs, orders, and those that reached nobody.
  const isFew = test === true || dryRun === true || (orderId ?? unreached) !== undefined;
  const isWalked = outcome !== undefined || ((test ?? dryRun) !== undefined && !isFew);
  return async (rest, most) => ({
    how: filter,
    readTo: isWalked ? await findEventWalkEnd(sql, caller.accountId, { siteId, siteMode }, rest, most) : null,
  });
}

/** Adds the recipient, the customer and the order number to events, as far as they are stored. */
export async function withParties({ sql, vault, caller: { accountId } }: CallContext, events: readonly EventRow[]) {
  const ids = events.map(({ id }) => id);
  if (ids.length === 0) return [];
  const codec = await readRowCodec(sql, vault, accountId);
  const [orders, messages, customers] = await Promise.all([
    findOrders(sql, accountId, [...new Set(events.flatMap(({ order_id }) => order_id ?? []))]),
    listRecipients(sql, accountId, ids),
    findCustomers(sql, accountId, ids),
  ]);
  const numbers = new Map(orders.map((order) => [order.id, readOrder(codec, order)]));
  const toPhones = new Map(messages.map((message) => [message.event_id, message]));
  const names = new Map(customers.map(({ id, customer }) => [id, customer]));
  return events.map((event) => {
    const order = numbers.get(event.order_id ?? "");
    const message = toPhones.get(event.id);
    return {
      ...event,
      orderNumber: order?.number ?? order?.external_id ?? null,
      recipient: message === undefined ? null : readValue(codec, message.to_phone, "notification.to_phone", message.id, unreadableText),
      recipients: message?.recipients ?? 0,
      isToCustomer: message?.to_customer ?? false,
      customer: names.get(event.id) ?? null,
      statuses: message?.statuses ?? [],
    };
  });
}

type Addressed = Pick<NotificationRow, "binding_id" | "to_phone" | "test">;

/** Tells whom a message goes to: one of the site's people by name, else the customer; null for a fixed phone, and for that of tests. */
export async function readOwnNames(sql: AdminContext["sql"], accountId: string, messages: readonly Addressed[]) {
  const own = await listOwnRecipients(sql, accountId, [...new Set(messages.map(({ binding_id }) => binding_id))]);
  return ({ binding_id, to_phone, test }: Addressed, customer: string | null): string | null => {
    const people = own.filter((person) => person.binding_id === binding_id);
    return people.length > 0 || test ? (people.find(({ phone }) => phone === to_phone)?.label ?? null) : customer;
  };
}

type ListedEvent = Awaited<ReturnType<typeof withParties>>[number];

export const presentListed = (
  { orderNumber, recipient, recipients, isToCustomer, customer, statuses, ...row }: ListedEvent,
  role: Role,
) => ({
  ...presentEvent(row, role),
  orderNumber: orderNumber && shownNumber(orderNumber, recipient === null ? [] : [recipient], role),
  /** The first one's phone, that of the customer before others; there may be more. */
  recipient: recipient && shownPhone(recipient, role),
  recipients,
  /** Whether it is the customer's phone, and not that of the site's own people, a fixed one, or one of tests. */
  isToCustomer,
  /** The name, for those who may see it; null also where it is not known. */
  customer: may(role, "seePhones") ? customer : null,
  /** Those of its messages, each once, without resends. */
  statuses,
});

export const presentEvent = (row: EventRow, role: Role) => ({
  ...present(row, "id", "site_id", "site_mode", "test", "dry_run", "order_id", "replay_of"),
  source: shownText(row.source, role),
  name: shownText(row.name, role),
  receivedAt: timeOf(row.id),
  idempotencyKey: row.idempotency_key && shownWhole(row.idempotency_key, role),
  // `chat` is null until the event is answered; scheduled recipients wait for their time now.
  ...present(row, "bindings_run", "chat", "recipients_sent", "recipients_failed", "recipients_scheduled"),
  /** How many requests repeated its idempotency key; they sent nothing. */
  duplicates: row.replays,
});

export const timeOf = (eventId: string): string => new Date(uuidTime(eventId)).toISOString();
