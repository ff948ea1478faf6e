import type { Sql } from "../../connect.ts";

export type LogTable = "event_payload" | "notification" | "event";

/** Deletes up to `limit` of a site's oldest rows below an id; answers how many. */
export async function deleteBefore(sql: Sql, table: LogTable, siteId: string, before: string, limit: number): Promise<number> {
  const result = await sql`
    delete from ${sql(table)} where site_id = ${siteId} and id < ${before} and id = any(array(
      select id from ${sql(table)} where site_id = ${siteId} and id < ${before} order by id limit ${limit}))`;
  return result.count;
}

/** A page of a site's orders behind an id, of which those whose last event is gone are deleted; the last id of a full page, else null. */
export async function deleteOrdersBefore(
  sql: Sql,
  siteId: string,
  before: string,
  page: { after: string; limit: number },
): Promise<{ deleted: number; next: string | null }> {
  const [row] = await sql<[{ deleted: number; next: string | null }]>`
    with page as materialized (
      select id, last_event_id from customer_order where site_id = ${siteId} and id > ${page.after} order by id limit ${page.limit}
    ), gone as (
      delete from customer_order o
      where o.site_id = ${siteId} and o.last_event_id < ${before} and o.id = any(array(select id from page where last_event_id < ${before}))
      returning o.id
    )
    select (select count(*)::integer from gone) as deleted,
      case when (select count(*) from page) = ${page.limit} then (select id from page order by id desc limit 1) end as next`;
  return row;
}

/** Removes the account's finished resends of filters, which may name a phone. */
export async function deleteResendJobsBefore(sql: Sql, siteId: string, before: string): Promise<number> {
  const result = await sql`
    delete from resend_job where finished_at is not null and id < ${before} and account_id = (select account_id from site where id = ${siteId})`;
  return result.count;
}

/** Removes the site itself when it was deleted and nothing of it is left to keep. */
export async function deleteEmptySite(sql: Sql, siteId: string, before: string): Promise<boolean> {
  const result = await sql`
    delete from site s where s.id = ${siteId} and uuid_at(s.deleted_at) < ${before}
      and not exists (select from event where site_id = s.id) and not exists (select from notification where site_id = s.id)
      and not exists (select from event_payload where site_id = s.id) and not exists (select from customer_order where site_id = s.id)`;
  return result.count > 0;
}
