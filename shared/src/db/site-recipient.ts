import type { Sql } from "./connect.ts";
import { columns, of, type RowOf } from "./table.ts";

const siteRecipientColumns = columns({
  id: of<string>(),
  site_id: of<string>(),
  phone: of<string>(),
  label: of<string>(),
  active: of<boolean>(),
});

export type SiteRecipientRow = RowOf<typeof siteRecipientColumns>;

/** Adds a recipient. Fails with 23505 if the site's list has the phone already. */
export const insertSiteRecipient = (sql: Sql, row: SiteRecipientRow) =>
  sql`insert into site_recipient ${sql(row, ...siteRecipientColumns.names)}`;

export async function findSiteRecipient(sql: Sql, accountId: string, id: string): Promise<SiteRecipientRow | undefined> {
  const [row] = await sql<SiteRecipientRow[]>`
    select ${siteRecipientColumns.read(sql)} from site_recipient
    where id = ${id} and site_id in (select id from site where account_id = ${accountId})`;
  return row;
}

/** A page of the site's recipients, newest first. */
export const listSiteRecipients = (sql: Sql, siteId: string, page: { before: string | null; limit: number }) =>
  sql<SiteRecipientRow[]>`
    select ${siteRecipientColumns.read(sql)} from site_recipient
    where site_id = ${siteId} ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;

/** The phones that the strategy `site_recipients` addresses, in the order in which they were added. */
export async function listActivePhones(sql: Sql, siteId: string): Promise<string[]> {
  const rows = await sql<{ phone: string }[]>`select phone from site_recipient where site_id = ${siteId} and active order by id`;
  return rows.map((row) => row.phone);
}

/** The number of the site's active phones besides that of `exceptId`. The caller holds the site's lock. */
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

/** Writes the given row. */
export const updateSiteRecipient = (sql: Sql, row: SiteRecipientRow) =>
  sql`update site_recipient set ${sql(row, ...siteRecipientColumns.names)} where id = ${row.id}`;

export const deleteSiteRecipient = (sql: Sql, id: string) => sql`delete from site_recipient where id = ${id}`;
