import type { Sql } from "../../connect.ts";
import { siteColumns, type SiteRow } from "./row.ts";

/** The account's site, unless it was deleted. */
export async function findSite(sql: Sql, accountId: string, id: string): Promise<SiteRow | undefined> {
  const [row] = await sql<SiteRow[]>`
    select ${siteColumns(sql)} from site where id = ${id} and account_id = ${accountId} and deleted_at is null`;
  return row;
}

/** Also true of a deleted site: the log outlives it. */
export async function isSiteOfAccount(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`select id from site where id = ${id} and account_id = ${accountId}`;
  return rows.length > 0;
}
