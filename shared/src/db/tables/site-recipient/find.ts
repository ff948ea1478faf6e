import type { Sql } from "../../connect.ts";
import { siteRecipientColumns, type SiteRecipientRow } from "./row.ts";

export async function findSiteRecipient(sql: Sql, accountId: string, id: string): Promise<SiteRecipientRow | undefined> {
  const [row] = await sql<SiteRecipientRow[]>`
    select ${siteRecipientColumns(sql)} from site_recipient
    where id = ${id} and site_id in (select id from site where account_id = ${accountId})`;
  return row;
}

/** Another active phone than `exceptId`'s; ask with the site locked. */
export async function countActivePhones(sql: Sql, siteId: string, exceptId: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from site_recipient where site_id = ${siteId} and active and id <> ${exceptId}`;
  return row.count;
}

/** Whether another row of the site's list than `exceptId` has the phone. */
export async function isPhoneListed(sql: Sql, siteId: string, phone: string, exceptId: string): Promise<boolean> {
  const rows = await sql`select id from site_recipient where site_id = ${siteId} and phone = ${phone} and id <> ${exceptId}`;
  return rows.length > 0;
}
