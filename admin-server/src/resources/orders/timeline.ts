import type { orderTimelineInput } from "shared/core/input/log";
import type { Role } from "shared/core/role";
import type { Sql } from "shared/db/connect";
import { findOrders, type OrderRow } from "shared/db/customer-order";
import { listEvents } from "shared/db/event/log";
import { orderId } from "shared/db/ids";
import { listNotificationsOfEvents } from "shared/db/notification/log";
import type { z } from "zod";
import { notFound } from "../../trpc/refusals.ts";
import { presentEventEntry, presentMessageEntries, presentOrder } from "./present.ts";

/** An order with more is rather a test: then the newest are shown. */
const mostEvents = 200;
const mostMessages = 2000;

/** Everything that happened for one order, in the order in which it did: events that came, messages that were made, sent, delivered, read or failed. */
export async function readTimeline(
  sql: Sql,
  { accountId, role }: { accountId: string; role: Role },
  input: z.output<typeof orderTimelineInput>,
) {
  const order = await findOrder(sql, accountId, input);
  if (order === undefined) throw notFound("order");
  const page = { from: null, before: null, limit: mostEvents + 1 };
  const events = await listEvents(sql, accountId, { siteId: order.site_id, orderId: order.id }, page);
  const shown = events.slice(0, mostEvents);
  const ids = shown.map(({ id }) => id);
  const messages = await listNotificationsOfEvents(sql, order.site_id, ids, mostMessages);
  const entries = [
    ...shown.map((event) => presentEventEntry(event, role)),
    ...messages.flatMap((message) => presentMessageEntries(message, role)),
  ];
  return {
    order: presentOrder(order, role),
    // Of things of one moment the event comes before its messages, and each message's steps stand in their order.
    entries: entries.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1)),
    /** There are older ones that are not shown. */
    truncated: events.length > mostEvents || messages.length === mostMessages,
  };
}

/** An order's id follows from what its site calls it; one that is both an id and a number means two orders, of which the id is meant. */
async function findOrder(sql: Sql, accountId: string, input: z.output<typeof orderTimelineInput>): Promise<OrderRow | undefined> {
  if ("id" in input) return (await findOrders(sql, accountId, [input.id]))[0];
  const [byId, byNumber] = (["id", "number"] as const).map((kind) => orderId(input.siteId, { kind, value: input.reference }));
  const orders = await findOrders(sql, accountId, [byId ?? "", byNumber ?? ""]);
  return orders.find(({ id }) => id === byId) ?? orders[0];
}
