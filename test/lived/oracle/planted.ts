import { randomBytes } from "node:crypto";
import { uuidv7 } from "shared/db/ids";
import type { Pool } from "shared/db/statement";
import type { Area } from "./check-numbers.ts";
import { newest } from "./compare.ts";
import { byEvents } from "./events.ts";
import type { Rows } from "./rows.ts";
import { dayMs, madeAt } from "./times.ts";

/** An error in the rows that the product sees, made after the oracle has read them: in words, where it has to be found, which row it spoils, and how. */
type Planted = [error: string, area: Area, finding: string, victim: keyof Victims, plant: (id: string, sql: Pool) => PromiseLike<unknown>];

type Victims = ReturnType<typeof victimsOf>;

/** The ids of rows to spoil: the newest of each kind, of messages those that were never sent again, and of failed ones one of a problem. */
export function victimsOf(rows: Rows) {
  const again = new Set(rows.messages.map(({ resendOf }) => resendOf));
  const alone = newest(rows.messages.filter(({ id, test, resendOf }) => !test && resendOf === null && !again.has(id)));
  const events = newest(rows.events.filter(({ test, dryRun }) => !test && !dryRun));
  const [order] = byEvents(rows);
  const failing = rows.problems.filter(({ kind, state }) => kind === "messages_failed" && state !== "resolved");
  const open = new Set(failing.map(({ siteId, subject }) => `${siteId} ${subject}`));
  const message = (status: string): string => alone.find((row) => row.status === status)?.id ?? "";
  return {
    sent: message("sent"),
    delivered: message("delivered"),
    scheduled: message("scheduled"),
    failed: alone.find(({ status, siteId, errorCode }) => status === "failed" && open.has(`${siteId} ${errorCode}`))?.id ?? "",
    replaced: rows.messages.find(({ resendOf }) => resendOf !== null)?.resendOf ?? "",
    event: events[0]?.id ?? "",
    unreached: events.find(({ unreached }) => unreached !== null)?.id ?? "",
    ofOrder: newest(rows.events).find(({ orderId }) => orderId === order?.id)?.id ?? "",
    delivery: newest(rows.deliveries).find(({ status }) => status === "delivered")?.id ?? "",
    operation: rows.operationItems[0]?.operationId ?? "",
    ended: rows.problems.find(({ alerted, resolvedAt }) => alerted && resolvedAt !== null)?.id ?? "",
    optOut: rows.optOuts.find(({ active }) => active)?.id ?? "",
  };
}

const idAt = (ms: number): string => uuidv7(ms, randomBytes(10));

/** What leaves other findings behind stands last. */
export const planted: Planted[] = [
  ["a status changed", "statistics", "stats.overview", "sent", (id, sql) => sql`update notification set status = 'read' where id = ${id}`],
  ["a day shifted", "statistics", "stats.messages", "delivered", (id, sql) => moveTo(sql, id, idAt(madeAt(id) - dayMs))],
  ["a reason gone", "events", "events.list", "unreached", (id, sql) => sql`update event set unreached = null where id = ${id}`],
  [
    "a message called a test",
    "problems",
    "problems.list",
    "failed",
    (id, sql) => sql`update notification set test = true where id = ${id}`,
  ],
  [
    "an end of a problem moved",
    "problems",
    "alerts.list",
    "ended",
    (id, sql) => sql`update problem set resolved_at = resolved_at - interval '1 day' where id = ${id}`,
  ],
  ["an event renamed", "events", "events.list", "event", (id, sql) => sql`update event set name = 'other.name' where id = ${id}`],
  ["an event without order", "events", "orders.timeline", "ofOrder", (id, sql) => sql`update event set order_id = null where id = ${id}`],
  [
    "an attempt more",
    "setup",
    "webhookDeliveries",
    "delivery",
    (id, sql) => sql`update webhook_delivery set attempts = 9 where id = ${id}`,
  ],
  ["a delivery lost", "setup", "webhookDeliveries", "delivery", (id, sql) => sql`delete from webhook_delivery where id = ${id}`],
  ["an opt-out lifted", "setup", "optOuts.list", "optOut", (id, sql) => sql`update opt_out set active = false where id = ${id}`],
  [
    "an outcome too many",
    "operations",
    "operations.get",
    "operation",
    (id, sql) => sql`update operation set failed = failed + 1 where id = ${id}`,
  ],
  ["a row doubled", "messages", "notifications.list", "delivered", (id, sql) => double(sql, id)],
  ["a wait lost", "messages", "notifications.scheduled", "scheduled", (id, sql) => sql`delete from waiting_message where id = ${id}`],
  ["a resend's link cut", "messages", "notifications.get", "replaced", (id, sql) => cut(sql, id)],
];

const cut = (sql: Pool, id: string) => sql`update notification set resent_as = null where id = ${id}`;
const moveTo = (sql: Pool, id: string, to: string) => sql`update notification set id = ${to} where id = ${id}`;

const double = (sql: Pool, id: string) => sql`
  insert into notification (id, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status, components, event)
  select ${idAt(madeAt(id))}, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status, components, event
  from notification where id = ${id}`;
