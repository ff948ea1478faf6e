import type { SourceType } from "../core/site.ts";
import type { Sql } from "./connect.ts";
import { containing } from "./sql-text.ts";

/** A site without its secrets. `key_hint` is of the current API key; `last_event_id` carries when the last event came, null before the first. */
export interface SiteRow {
  id: string;
  account_id: string;
  name: string;
  url: string;
  source_type: SourceType;
  enabled: boolean;
  test_phone: string | null;
  require_timestamp: boolean;
  rate_limit_per_second: number | null;
  key_hint: string;
  last_event_id: string | null;
  created_at: Date;
}

const siteColumns = (sql: Sql) =>
  sql`id, account_id, name, url, source_type, enabled, test_phone, require_timestamp, rate_limit_per_second, created_at,
    (select hint from site_secret where site_id = site.id and kind = 'api_key' and expires_at is null) as key_hint,
    (select event.id from event where event.site_id = site.id order by event.id desc limit 1) as last_event_id`;

/**
 * Deletes the account's site, within a transaction: key, secret, bindings and recipients end at once; the row stays, because the log names it. False when
 * there is no such site.
 */
export async function deleteSite(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`
    update site set deleted_at = now(), enabled = false, test_phone = null
    where id = ${id} and account_id = ${accountId} and deleted_at is null
    returning id`;
  if (rows.length === 0) return false;
  await sql`delete from site_secret where site_id = ${id}`;
  await sql`delete from binding where site_id = ${id}`;
  await sql`delete from site_recipient where site_id = ${id}`;
  return true;
}

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

export interface NewSite {
  id: string;
  accountId: string;
  name: string;
  url: string;
  sourceType: SourceType;
  testPhone: string | null;
}

/** A site that nobody can post to yet: it has no key and no secret. */
export const insertSite = (sql: Sql, site: NewSite) =>
  sql`insert into site (id, account_id, name, url, source_type, test_phone)
    values (${site.id}, ${site.accountId}, ${site.name}, ${site.url}, ${site.sourceType}, ${site.testPhone})`;

/** All of the account's sites, deleted ones too: their log outlives them. */
export async function listSiteIds(sql: Sql, accountId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from site where account_id = ${accountId} order by id`;
  return rows.map(({ id }) => id);
}

export interface SiteFilter {
  /** Part of the name or of the URL, in any case. */
  search?: string | undefined;
}

/** A page of the account's sites, newest first. `before`: the id that the page starts after, null for the first. */
export const listSites = (sql: Sql, accountId: string, { search }: SiteFilter, page: { before: string | null; limit: number }) =>
  sql<SiteRow[]>`
    select ${siteColumns(sql)} from site
    where account_id = ${accountId} and deleted_at is null
      ${search === undefined ? sql`` : sql`and (name ilike ${containing(search)} or url ilike ${containing(search)})`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;

/**
 * Holds the account's sites until the transaction ends, in the order of their ids so that two transactions cannot wait for each other; the ids of those that
 * exist. Taken before any write to recipients or bindings, whose triggers write the site's row.
 */
export async function lockSites(sql: Sql, accountId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select id from site where id = any(${[...ids]}::uuid[]) and account_id = ${accountId} and deleted_at is null order by id for no key update`;
  return new Set(rows.map((row) => row.id));
}

export type SitePatch = Partial<
  Pick<SiteRow, "name" | "url" | "source_type" | "enabled" | "test_phone" | "require_timestamp" | "rate_limit_per_second">
>;

/** Changes what the patch names; undefined when the account has no such site. */
export async function updateSite(sql: Sql, accountId: string, id: string, patch: SitePatch): Promise<SiteRow | undefined> {
  // The id is written too, so that a patch may be empty.
  const [row] = await sql<SiteRow[]>`
    update site set ${sql({ ...patch, id })}
    where id = ${id} and account_id = ${accountId} and deleted_at is null
    returning ${siteColumns(sql)}`;
  return row;
}

/** Makes gateways read the site anew, for the one write that no trigger sees: a row that moves away from the site. */
export const touchSite = (sql: Sql, id: string) => sql`update site set config_version = config_version + 1 where id = ${id}`;
