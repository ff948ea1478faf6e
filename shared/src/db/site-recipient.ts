import { type IdPage, type RowOf, type Sql, columns, countRows, hasRows, newestFirst, of, one, scalars } from "./statement.ts";

const siteRecipientColumns = columns({
  ...of.texts("id", "site_id", "phone", "label"),
  active: of<boolean>(),
  /** When people last changed it. */
  updated_at: of<Date>(),
});

export type SiteRecipientRow = RowOf<typeof siteRecipientColumns>;
/** What people set of a recipient. */
export type SetRecipient = Omit<SiteRecipientRow, "updated_at">;

/** Adds a recipient. Fails with 23505 if the site's list has the phone already. */
export const insertSiteRecipient = (sql: Sql, row: SetRecipient) => sql`insert into site_recipient ${sql(row)}`;

export const findSiteRecipient = (sql: Sql, accountId: string, id: string) =>
  one(sql<SiteRecipientRow[]>`
    select ${siteRecipientColumns.read(sql)} from site_recipient
    where id = ${id} and site_id in (select id from site where account_id = ${accountId})`);

/** A page of the site's recipients, newest first. */
export const listSiteRecipients = (sql: Sql, siteId: string, page: IdPage) =>
  sql<SiteRecipientRow[]>`
    select ${siteRecipientColumns.read(sql)} from site_recipient
    where site_id = ${siteId} ${newestFirst(sql, page)}`;

/** The phones that the strategy `site_recipients` addresses, in the order in which they were added. */
export const listActivePhones = (sql: Sql, siteId: string) =>
  scalars(sql<{ phone: string }[]>`select phone from site_recipient where site_id = ${siteId} and active order by id`);

/** The phones of the account's people, or those of one site, whose label has the text, in any case. */
export const listPhonesNamed = (sql: Sql, accountId: string, siteId: string | undefined, text: string) =>
  scalars(sql<{ phone: string }[]>`
    select distinct phone from site_recipient where site_id in (select id from site where account_id = ${accountId})
      ${siteId === undefined ? sql`` : sql`and site_id = ${siteId}`} and strpos(lower(label), lower(${text})) > 0 order by phone limit 100`);

/** The bindings among `ids` whose messages go to others than the event's customer, with each of the site's people where they go to those. */
export const listOwnRecipients = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<{ binding_id: string; phone: string | null; label: string | null }[]>`
    select b.id as binding_id, r.phone, r.label from binding b left join site_recipient r on r.site_id = b.site_id and b.recipient->>'strategy' = 'site_recipients'
    where b.id = any(${[...ids]}::uuid[]) and b.recipient->>'strategy' in ('site_recipients', 'static_phone')
      and b.site_id in (select id from site where account_id = ${accountId})`;

/** The number of the site's active phones besides that of `exceptId`. The caller holds the site's lock. */
export const countActivePhones = (sql: Sql, siteId: string, exceptId: string) =>
  countRows(sql, sql`select from site_recipient where site_id = ${siteId} and active and id <> ${exceptId}`);

/** Whether another row of the site's list than `exceptId` has the phone. */
export const isPhoneListed = (sql: Sql, siteId: string, phone: string, exceptId: string) =>
  hasRows(sql`select id from site_recipient where site_id = ${siteId} and phone = ${phone} and id <> ${exceptId}`);

/** Writes the given row. */
export const updateSiteRecipient = (sql: Sql, row: SetRecipient) => sql`update site_recipient set ${sql(row)} where id = ${row.id}`;

export const deleteSiteRecipient = (sql: Sql, id: string) => sql`delete from site_recipient where id = ${id}`;
