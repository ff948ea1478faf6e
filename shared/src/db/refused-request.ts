import { eventHeaders } from "../core/event.ts";
import type { RefusedBecause } from "../core/refused.ts";
import { type IdPage, type RowOf, type Sql, changedRows, columns, newestFirst, of } from "./statement.ts";

const refusedColumns = columns({
  site_id: of<string>({ sqlType: "uuid" }),
  /** The id, which carries the request's time. */
  id: of<string>({ sqlType: "uuid" }),
  because: of<RefusedBecause>(),
  /** The event's name by the path or the shop; empty if neither names one. */
  event: of<string>(),
  headers: of<Record<string, string>>({ sqlType: "jsonb" }),
  /** The body's length, like its digest and start null if it was not read to its end. */
  bytes: of<number | null>({ sqlType: "integer" }),
  /** The digest in hexadecimal. */
  sha256: of<string | null>(),
  start: of<string | null>(),
  /** Requests just after this one that are not listed. */
  skipped: of<number>({ sqlType: "integer" }),
});

/** A refused request of a site's sender. */
export type RefusedRequestRow = RowOf<typeof refusedColumns>;

/** The number of newest requests that each site keeps. */
export const mostKept = 1_000;

/** Headers whose values senders choose: a customer's phone, say. */
const chosenHeaders = [eventHeaders.idempotencyKey.name, eventHeaders.standardId.name];

/** Adds refused requests of existing sites, and deletes the oldest beyond the kept number. Of an account that encrypts, nothing is kept that may name a customer. */
export async function addRefusedRequests(sql: Sql, rows: readonly RefusedRequestRow[]): Promise<void> {
  await sql`
    insert into refused_request (${sql.unsafe(refusedColumns.stored)})
    select t.site_id, t.id, t.because, t.event, case when a.encrypt_payloads then t.headers - ${chosenHeaders}::text[] else t.headers end, t.bytes, t.sha256,
      case when not a.encrypt_payloads then t.start end, t.skipped
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as t(${sql.unsafe(refusedColumns.typed)})
      join site s on s.id = t.site_id and s.deleted_at is null join account a on a.id = s.account_id`;
  const sites = [...new Set(rows.map(({ site_id }) => site_id))];
  await sql`
    delete from refused_request r using unnest(${sites}::uuid[]) as s(id)
    where r.site_id = s.id and r.id <= (select o.id from refused_request o where o.site_id = s.id order by o.id desc offset ${mostKept} limit 1)`;
}

/** A page of a site's refused requests, newest first. */
export const listRefusedRequests = (sql: Sql, siteId: string, page: IdPage) =>
  sql<RefusedRequestRow[]>`
    select ${refusedColumns.read(sql)} from refused_request
    where site_id = ${siteId} ${newestFirst(sql, page)}`;

/** Deletes a site's refused requests that are older than the id `before`, or all when it is null: their bodies may name anybody. Answers how many. */
export const deleteRefusedRequests = (sql: Sql, siteId: string, before: string | null) =>
  changedRows(sql`delete from refused_request where site_id = ${siteId} ${before === null ? sql`` : sql`and id < ${before}`}`);

/** Deletes the refused requests of all of the account's sites. */
export const deleteRefusedOfAccount = (sql: Sql, accountId: string) =>
  sql`delete from refused_request where site_id = any(array(select id from site where account_id = ${accountId}))`;
