import { type DropCode, dropStatuses } from "../../core/message.ts";
import { isUnsent, noteLate } from "../notification/statuses.ts";
import type { Fragment, Sql } from "../statement.ts";
import { insertTurns } from "./turns.ts";

export type MessageKey = Record<"site_id" | "id", string>;

/**
 * Cancels the waiting messages (`w`) that meet the condition, except those that are being sent; answers them. A message without an owner is not being
 * sent: if it is `sending`, it is in doubt, as its gateway died. A message that repeats another and has not left gives it its place back: the other one is
 * what failed, and may be sent again.
 */
async function cancelWaiting(sql: Sql, condition: Fragment, code: DropCode, reason: string | null = null): Promise<MessageKey[]> {
  const rows = await sql<{ site_id: string; id: string; is_cancelled: boolean }[]>`
    with stopped as (delete from waiting_message w where ${condition} and w.owner is null returning w.site_id, w.id),
    originals as (
      select id from notification where site_id = any(array(select site_id from stopped)) and id = any(array(
        select resend_of from notification where site_id = any(array(select site_id from stopped)) and id = any(array(select id from stopped))))
    ),
    cancelled as (
      update notification n set status = ${dropStatuses[code]}, error_code = ${code}, error_reason = ${reason}, in_doubt_since = null,
        resent_as = case when n.status <> 'sending' and n.resend_of = any(array(select id from originals)) then n.resend_of end
      where n.site_id = any(array(select site_id from stopped)) and n.id = any(array(select id from stopped)) and ${sql.unsafe(isUnsent("n"))}
      returning n.site_id, n.id, n.resent_as
    ),
    restored as (
      update notification o set resent_as = null
      where o.site_id = any(array(select site_id from cancelled)) and o.id = any(array(select resent_as from cancelled)) returning o.site_id, o.id
    )
    select site_id, id, true as is_cancelled from cancelled union all select site_id, id, false from restored`;
  await noteLate(sql, rows);
  return rows.filter(({ is_cancelled }) => is_cancelled);
}

export const cancelOfSite = (sql: Sql, siteId: string) => cancelWaiting(sql, sql`w.site_id = ${siteId}`, "site_deleted");

export const cancelOfBinding = (sql: Sql, siteId: string, bindingId: string) =>
  cancelWaiting(sql, sql`w.site_id = ${siteId} and w.binding_id = ${bindingId}`, "binding_deleted");

/** Cancels the messages among `ids` that wait, whatever they wait for. */
export const cancelMessages = (sql: Sql, siteId: string, ids: readonly string[], code: DropCode) =>
  cancelWaiting(sql, sql`w.site_id = ${siteId} and w.id = any(${[...ids]}::uuid[])`, code);

/** Cancels the messages that wait for none of these keys to come. */
export const cancelOfKeys = (sql: Sql, siteId: string, keys: readonly string[], reason: string) =>
  cancelWaiting(sql, sql`w.site_id = ${siteId} and w.cancel_key = any(${[...keys]}::text[])`, "cancelled_by_event", reason);

/** Cancels the waiting messages of these events. */
export const cancelOfEvents = (sql: Sql, siteId: string, eventIds: readonly string[], code: DropCode) =>
  cancelWaiting(
    sql,
    sql`w.site_id = ${siteId} and w.id = any(array(select id from notification where site_id = ${siteId} and event_id = any(${[...eventIds]}::uuid[])))`,
    code,
  );

/** Cancels the messages among `ids` that are still scheduled. */
export const cancelScheduled = (sql: Sql, sites: readonly string[], ids: readonly string[], code: DropCode) =>
  cancelWaiting(
    sql,
    sql`w.site_id = any(${[...sites]}::uuid[]) and w.id = any(${[...ids]}::uuid[]) and exists (
      select from notification n where n.site_id = w.site_id and n.id = w.id and n.status = 'scheduled')`,
    code,
  );

/** The most messages that one statement of a stopped operation takes back. */
const mostTakenBack = 1_000;

/** Takes back the messages of an operation that have not left: each is cancelled, and what it repeats stays failed. */
export const cancelOfOperation = (sql: Sql, operationId: string) =>
  cancelWaiting(
    sql,
    sql`(w.site_id, w.id) in (select i.site_id, i.id ${notLeft(sql, operationId)} limit ${mostTakenBack})`,
    "cancelled_by_operator",
  );

/** SQL: the items `i` of an operation that wait, with their messages `m`. One that is being sent, or of which nobody knows, may have left. */
const notLeft = (sql: Sql, operationId: string) => sql`
  from operation_item i join waiting_message m on m.site_id = i.site_id and m.id = i.id and m.owner is null
  where i.operation_id = ${operationId} and not i.settled and i.outcome is null
    and exists (select from notification n where n.site_id = i.site_id and n.id = i.id and n.status in ('scheduled', 'queued'))`;

/** Gives the messages that an operation hurried, and that have not left, their own time again; answers them. */
export const delayAgain = (sql: Sql, operationId: string) => sql<MessageKey[]>`
  with chosen as materialized (
    select m.site_id, m.id, i.former ${notLeft(sql, operationId)} order by m.site_id, m.id limit ${mostTakenBack} for update of m
  ),
  delayed as (
    update waiting_message w set due_at = c.former, queued_at = c.former from chosen c
    where w.site_id = c.site_id and w.id = c.id and w.owner is null returning w.site_id, w.id, w.due_at
  )
  update notification n set due_at = d.due_at from delayed d
  where n.site_id = any(array(select site_id from delayed)) and n.id = any(array(select id from delayed)) and n.id::text = d.id::text
  returning n.site_id, n.id`;

/** A message that was hurried, and when it was due before. */
export type HurriedMessage = MessageKey & { former: string };

/** Makes the scheduled messages among `ids` due now, except those that are being sent or whose site is paused; answers them. */
export const sendNow = (sql: Sql, sites: readonly string[], ids: readonly string[]) => sql<HurriedMessage[]>`
  with chosen as materialized (
    select w.site_id, w.id, w.queued_at from waiting_message w
    where site_id = any(${[...sites]}::uuid[]) and id = any(${[...ids]}::uuid[]) and owner is null
      and not exists (select from site s where s.id = w.site_id and s.hold_messages)
      and exists (select from notification n where n.site_id = w.site_id and n.id = w.id and n.status = 'scheduled')
    order by w.site_id, w.id for update
  ),
  due as (
    update waiting_message w set due_at = least(w.due_at, now()), queued_at = least(w.queued_at, now())
    from chosen c where w.site_id = c.site_id and w.id = c.id and w.owner is null
    returning w.id, w.account_id, w.phone_hash, w.site_id, w.due_at, c.queued_at as former
  ),
  turned as (${sql.unsafe(insertTurns("due"))})
  update notification n set due_at = now() from due d
  where n.site_id = any(array(select site_id from due)) and n.id = any(array(select id from due)) and n.id::text = d.id::text
  returning n.site_id, n.id, to_json(d.former)#>>'{}' as former`;
