import type { Sql } from "../statement.ts";
import type { NotificationRow } from "./log.ts";
import { isArrived } from "./statuses.ts";

export interface ReportedRow {
  /** The messages that left before `until` without a report of the platform, and those that arrived. */
  unreported: number;
  arrived: number;
  /** The first and the last message without a report. */
  first_id: string | null;
  last_id: string | null;
}

/** The reports on the messages that were made since the platform reported last; the newest hundred of each site. */
export const readReported = (sql: Sql, accountId: string, from: string, until: string) =>
  sql<[ReportedRow]>`
    select count(*) filter (where n.status = 'sent')::integer as unreported, count(*) filter (where ${sql.unsafe(isArrived("n"))})::integer as arrived,
      min(n.id::text) filter (where n.status = 'sent') as first_id, max(n.id::text) filter (where n.status = 'sent') as last_id
    from site left join platform_callback c on c.account_id = site.account_id cross join lateral (
      select id, status from notification
      where site_id = site.id and id < ${until} and id >= ${from} and id >= uuid_at(coalesce(c.last_at, 'epoch'))
      order by id desc limit ${mostUnreported}
    ) n
    where site.account_id = ${accountId} and site.mode = 'live' and site.deleted_at is null`;

export const mostUnreported = 100;

type WaMessageRow = Pick<NotificationRow, "site_id" | "id" | "attempt"> & { wa_message_id: string };

/** The most messages to one phone, the latest; the platform reports on no older ones. */
const mostOfOnePhone = 500;

/**
 * The account's notifications with these platform ids, among the messages to `phones` (as they are stored); if those are null, among all messages, which
 * reads more the longer the log is.
 */
export const findByWaMessageIds = (sql: Sql, accountId: string, waMessageIds: readonly string[], phones: readonly string[] | null) =>
  phones === null
    ? sql<WaMessageRow[]>`
        select n.wa_message_id, n.site_id, n.id, n.attempt from messages_by_platform_id(${[...waMessageIds]}::text[]) m cross join lateral (
          select wa_message_id, site_id, id, attempt from notification where site_id = m.site_id and id = m.id and account_id = ${accountId} limit 1
        ) n`
    : sql<WaMessageRow[]>`
        select n.wa_message_id, n.site_id, n.id, n.attempt
        from site s cross join unnest(${[...phones]}::text[]) as phone cross join lateral (
          select wa_message_id, site_id, id, attempt from notification
          where site_id = s.id and to_phone = phone and to_phone <> '' order by id desc limit ${mostOfOnePhone}
        ) n
        where s.account_id = ${accountId} and n.wa_message_id = any(${[...waMessageIds]}::text[])`;
