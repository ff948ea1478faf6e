import type { AlertKind, ChannelKind } from "../../core/alert/alert.ts";
import type { Sql } from "../connect.ts";
import { type AlertRow, isKnown } from "./alert.ts";

/** When channels are told: webhooks at once, people when their quiet hours are over. */
export interface NoticeTimes {
  /** The end of the quiet hours, for people; null: now. */
  quietUntil: Date | null;
  /** The kinds for which there are no quiet hours. */
  urgent: readonly AlertKind[];
}

const dueAt = (sql: Sql, { quietUntil, urgent }: NoticeTimes) => sql`
  case when c.kind = 'webhook' or a.kind = any(${[...urgent]}::text[]) then now() else coalesce(${quietUntil}::timestamptz, now()) end`;

/** Locks the channels `c`, which only a deletion excludes, and leaves out those that are being deleted. */
const lockChannels = (sql: Sql) => sql`for key share of c skip locked`;

/** Queues a notice of each alert for each of the account's channels. */
export async function noteRaised(sql: Sql, accountId: string, ids: readonly string[], times: NoticeTimes): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    insert into alert_notice (alert_id, channel_id, cleared, due_at)
    select a.id, c.id, false, ${dueAt(sql, times)} from alert a join alert_channel c on c.account_id = a.account_id
    where a.id = any(${[...ids]}::uuid[]) and a.account_id = ${accountId} and c.enabled and c.confirm_hash is null
    ${lockChannels(sql)}
    on conflict do nothing`;
}

/** Queues a notice of the alerts' end for the channels that were told of their beginning, or soon will be. */
export async function noteCleared(sql: Sql, ids: readonly string[], times: NoticeTimes): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    insert into alert_notice (alert_id, channel_id, cleared, due_at)
    select a.id, c.id, true, greatest(n.due_at, ${dueAt(sql, times)})
    from alert_notice n join alert a on a.id = n.alert_id join alert_channel c on c.id = n.channel_id
    where n.alert_id = any(${[...ids]}::uuid[]) and not n.cleared and c.enabled
    ${lockChannels(sql)}
    on conflict do nothing`;
}

/** Deletes the notices of these alerts that were not sent yet. */
export async function withdrawNotices(sql: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql`delete from alert_notice where alert_id = any(${[...ids]}::uuid[]) and told_at is null`;
}

/** A notice that is due, with its alert and its channel. */
export interface DueNotice extends AlertRow {
  channel_id: string;
  channel_kind: ChannelKind;
  cleared: boolean;
}

/** The most messages of one channel in an hour; further alerts are summed up later. A webhook hears of everything at once. */
const mostInAnHour = 6;
/** The most notices of a channel at once. */
const mostAtOnce = 500;

/** Takes the account's notices that are due, in the order of their alerts: they count as told once the transaction `sql` is committed. */
export const takeDueNotices = (sql: Sql, accountId: string) =>
  sql<DueNotice[]>`
    with due as materialized (
      select n.alert_id, n.channel_id, n.cleared, c.kind as channel_kind
      from alert_channel c cross join lateral (
        select alert_id, channel_id, cleared from alert_notice n where n.channel_id = c.id and told_at is null and due_at <= now()
          and exists (select from alert where alert.id = n.alert_id and ${isKnown(sql)})
        order by due_at limit ${mostAtOnce}
      ) n
      where c.account_id = ${accountId} and c.enabled and (c.kind = 'webhook' or (
        select count(*) from (select from outbox where channel_id = c.id and id >= uuid_at(now() - interval '1 hour') limit ${mostInAnHour}) o) < ${mostInAnHour})
      ${lockChannels(sql)}
    ), told as (
      update alert_notice n set told_at = now() from due d
      where n.alert_id = d.alert_id and n.channel_id = d.channel_id and n.cleared = d.cleared and n.told_at is null
      returning n.alert_id, n.channel_id, n.cleared
    )
    select t.channel_id, t.cleared, d.channel_kind, a.id, a.kind, a.subject, a.detail, a.cleared_at
    from told t join due d using (alert_id, channel_id, cleared) join alert a on a.id = t.alert_id
    order by t.channel_id, a.id, t.cleared`;
