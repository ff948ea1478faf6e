import { type Sql, changedRows, one, inTransaction, isLockTimeout } from "./statement.ts";

/** How long a site's rows are kept, as the smallest ids that stay. */
export interface SiteRetention {
  site_id: string;
  /** Not below `log_before`: a payload does not outlive its event. */
  payloads_before: string;
  log_before: string;
}

/** A page of all sites, deleted ones included, whose log is still there. */
export const listSiteRetentions = (sql: Sql, after: string | null, limit: number) =>
  sql<SiteRetention[]>`
    select s.id as site_id, uuid_at(now() - make_interval(days => least(a.payload_days, a.log_days))) as payloads_before,
      uuid_at(now() - make_interval(days => a.log_days)) as log_before
    from site s join account a on a.id = s.account_id
    where true ${after === null ? sql`` : sql`and s.id > ${after}`}
    order by s.id limit ${limit}`;

/** The smallest ids that any account still keeps. */
export const findLongestRetention = (sql: Sql) =>
  one(sql<[Pick<SiteRetention, "payloads_before" | "log_before">]>`
    select uuid_at(now() - make_interval(days => coalesce(max(least(payload_days, log_days)), 90))) as payloads_before,
      uuid_at(now() - make_interval(days => coalesce(max(log_days), 90))) as log_before
    from account`);

export type LogTable = "event_payload" | "event_search" | "notification" | "event";

/** Deletes at most `limit` of a site's oldest rows with smaller ids than `before`, except waiting messages and their events; answers how many. */
export async function deleteBefore(sql: Sql, table: LogTable, siteId: string, before: string, limit: number): Promise<number> {
  const waits = table === "notification" ? sql`w.id = old.id` : sql`w.event_id = old.id`;
  return changedRows(sql`
    delete from ${sql(table)} where site_id = ${siteId} and id < ${before} and id = any(array(
      select old.id from ${sql(table)} old where old.site_id = ${siteId} and old.id < ${before}
        and not exists (select from waiting_message w where w.site_id = ${siteId} and ${waits})
      order by old.id limit ${limit}))`);
}

/** Deletes the orders of a page whose last event is older than `before`. `next` is the page's last id if it was full, else null. */
export const deleteOrdersBefore = (sql: Sql, siteId: string, before: string, page: { after: string; limit: number }) =>
  one(sql<[{ deleted: number; next: string | null }]>`
    with page as materialized (
      select id, last_event_id from customer_order where site_id = ${siteId} and id > ${page.after} order by id limit ${page.limit}
    ), gone as (
      delete from customer_order o
      where o.site_id = ${siteId} and o.last_event_id < ${before} and o.id = any(array(select id from page where last_event_id < ${before}))
      returning o.id
    )
    select (select count(*)::integer from gone) as deleted,
      case when (select count(*) from page) = ${page.limit} then (select id from page order by id desc limit 1) end as next`);

/** How long it is known what was told of a shop's order, after its last change: an order is still saved when the log has long forgotten it. */
const historyDays = 90;

/** Deletes the histories of a page that have not changed for that long, nor for as long as the account keeps its log, and all of a deleted site. `next` is as above. */
export const deleteHistories = (sql: Sql, siteId: string, page: { after: string; limit: number }) =>
  one(sql<[{ next: string | null }]>`
    with page as materialized (
      select id from shop_history where site_id = ${siteId} and id > ${page.after} order by id limit ${page.limit}
    ), gone as (
      delete from shop_history h
      where h.site_id = ${siteId} and h.id = any(array(select id from page)) and h.updated_at < (
        select case when s.deleted_at is null then now() - make_interval(days => greatest(a.log_days, ${historyDays})) else 'infinity' end
        from site s join account a on a.id = s.account_id where s.id = ${siteId})
    )
    select case when (select count(*) from page) = ${page.limit} then (select id from page order by id desc limit 1) end as next`);

/** The most days that deliveries are kept. */
const deliveryDays = 30;

/** Deletes at most `limit` of a site's oldest deliveries with smaller ids than `before`, or of more than 30 days; answers how many. */
export const deleteDeliveriesBefore = (sql: Sql, siteId: string, before: string, limit: number) =>
  changedRows(sql`
    delete from webhook_delivery where id = any(array(
      select id from webhook_delivery where site_id = ${siteId} and id < greatest(${before}::uuid, uuid_at(now() - make_interval(days => ${deliveryDays})))
      order by id limit ${limit}))`);

/** Deletes the account's finished resends of earlier versions: their filters may hold a phone. */
export const deleteResendJobsBefore = (sql: Sql, siteId: string, before: string) =>
  changedRows(sql`
    delete from resend_job where finished_at is not null and id < ${before} and account_id = (select account_id from site where id = ${siteId})`);

/** Deletes the row of a deleted site once none of its events, messages and orders are left. */
export const deleteEmptySite = async (sql: Sql, siteId: string, before: string) =>
  (await changedRows(sql`
    delete from site s where s.id = ${siteId} and uuid_at(s.deleted_at) < ${before}
      and not exists (select from event where site_id = s.id) and not exists (select from notification where site_id = s.id)
      and not exists (select from event_payload where site_id = s.id) and not exists (select from customer_order where site_id = s.id)`)) >
  0;

/** Drops the weekly partitions that end before an id; answers their names. A partition in use is left for the next time, so that events never wait for a drop. */
export async function dropPartitionsBefore(sql: Sql, parent: string, before: string): Promise<string[]> {
  // Messages that wait to be sent stay, and so do their events.
  const waits =
    parent === "notification"
      ? sql`select id from waiting_message order by id limit 1`
      : sql`select event_id from waiting_message order by event_id limit 1`;
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${parent}::regclass and c.relname ~ '_\\d{4}w\\d{2}$'
      and uuid_at(to_date(right(c.relname, 7), 'IYYY"w"IW')::timestamptz + interval '7 days') <= ${before}::uuid
      and uuid_at(to_date(right(c.relname, 7), 'IYYY"w"IW')::timestamptz + interval '7 days') <= coalesce((${waits}), 'ffffffff-ffff-ffff-ffff-ffffffffffff')::uuid
    order by c.relname`;
  const dropped: string[] = [];
  for (const { name } of rows) if (await drop(sql, name)) dropped.push(name);
  return dropped;
}

async function drop(sql: Sql, name: string): Promise<boolean> {
  try {
    await inTransaction(sql, async (transaction) => {
      await transaction`set local lock_timeout = '500ms'`;
      await transaction`select drop_week_partition(${name})`;
    });
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}
