import type { Sql } from "./connect.ts";

export interface SiteRecipientRow {
  id: string;
  site_id: string;
  phone: string;
  label: string;
  active: boolean;
}

const siteRecipientColumns = (sql: Sql) => sql`id, site_id, phone, label, active`;

export const deleteSiteRecipient = (sql: Sql, id: string) => sql`delete from site_recipient where id = ${id}`;

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

/** Fails with 23505 when the site's list has the phone already. */
export const insertSiteRecipient = (sql: Sql, row: SiteRecipientRow) =>
  sql`
    insert into site_recipient (id, site_id, phone, label, active)
    values (${row.id}, ${row.site_id}, ${row.phone}, ${row.label}, ${row.active})`;

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

/** Writes the row as given. */
export const updateSiteRecipient = (sql: Sql, row: SiteRecipientRow) =>
  sql`
    update site_recipient set site_id = ${row.site_id}, phone = ${row.phone}, label = ${row.label}, active = ${row.active}
    where id = ${row.id}`;
