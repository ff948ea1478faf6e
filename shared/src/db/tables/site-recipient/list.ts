import type { Sql } from "../../connect.ts";
import { siteRecipientColumns, type SiteRecipientRow } from "./row.ts";

/** A page of the site's recipients, newest first. */
export const listSiteRecipients = (sql: Sql, siteId: string, page: { before: string | null; limit: number }) =>
  sql<SiteRecipientRow[]>`
    select ${siteRecipientColumns(sql)} from site_recipient
    where site_id = ${siteId} ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;

/** The phones that the strategy `site_recipients` addresses, in the order in which they were added. */
export async function listActivePhones(sql: Sql, siteId: string): Promise<string[]> {
  const rows = await sql<{ phone: string }[]>`select phone from site_recipient where site_id = ${siteId} and active order by id`;
  return rows.map((row) => row.phone);
}
