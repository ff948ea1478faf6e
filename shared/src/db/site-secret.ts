import type { SiteMode } from "../core/site.ts";
import { type RowOf, type Sql, columns, of, one } from "./statement.ts";

/**
 * `source_secret`: the secret that a shop system signs with; `rest_key`: the key to its REST API. Operators paste both. `outbound_secret`: the secret that
 * signs deliveries to the site's endpoints.
 */
export type SiteSecretKind = "api_key" | "webhook_secret" | "source_secret" | "rest_key" | "outbound_secret";

const siteSecretColumns = columns({
  id: of<string>(),
  kind: of<Exclude<SiteSecretKind, "rest_key">>(),
  hint: of<string>(),
  /** The end; null for the current one. */
  expires_at: of<Date | null>(),
  last_used_at: of<Date | null>(),
  created_at: of<Date>(),
});

/** A key or secret that proves a site's requests, without its value. */
export type SiteSecretRow = RowOf<typeof siteSecretColumns>;

export type NewSiteSecret = { id: string; site_id: string; hint: string } & (
  | { kind: "api_key"; /** SHA-256 of the API key. */ key_hash: Buffer }
  | { kind: Exclude<SiteSecretKind, "api_key">; /** Encrypted by the vault. */ secret: string }
);

/** Adds the site's new current key or secret; call `expireSiteSecret` for the old one first. */
export const insertSiteSecret = (sql: Sql, { id, site_id, kind, hint, ...value }: NewSiteSecret) => sql`
  insert into site_secret (id, site_id, site_mode, kind, hint, key_hash, secret)
  values (${id}, ${site_id}, (select mode from site where id = ${site_id}), ${kind}, ${hint}, ${"key_hash" in value ? value.key_hash : null},
    ${"secret" in value ? value.secret : null})`;

/** The site's valid keys and secrets that prove requests, the current ones first. */
export const listSiteSecrets = (sql: Sql, siteId: string) =>
  sql<SiteSecretRow[]>`
    select ${siteSecretColumns.read(sql)} from site_secret
    where site_id = ${siteId} and kind <> 'rest_key' and (expires_at is null or expires_at > now())
    order by kind, expires_at desc nulls first, id`;

/** The account's valid secrets that prove requests, as they are stored, encrypted, with their sites. */
export const listSealedSecrets = (sql: Sql, accountId: string) =>
  sql<{ site_id: string; name: string; mode: SiteMode; id: string; kind: SiteSecretKind; secret: string }[]>`
    select s.id as site_id, s.name, s.mode, k.id, k.kind, k.secret from site s join site_secret k on k.site_id = s.id
    where s.account_id = ${accountId} and s.deleted_at is null and k.kind in ('webhook_secret', 'source_secret') and (k.expires_at is null or k.expires_at > now())
    order by s.id desc`;

/** The site's current secret of a kind, as it is stored, encrypted. */
export const findCurrentSecret = (sql: Sql, siteId: string, kind: Exclude<SiteSecretKind, "api_key">) =>
  one(sql<{ id: string; secret: string }[]>`
    select id, secret from site_secret where site_id = ${siteId} and kind = ${kind} and expires_at is null`);

/** Records when keys and secrets were last used. Skips rows that another gateway is writing, so that neither waits. */
export const noteSecretUses = (sql: Sql, uses: readonly { id: string; at: Date }[]) => sql`
  update site_secret set last_used_at = used.at
  from (
    select s.id, u.at
    from json_to_recordset(${JSON.stringify(uses)}::text::json) as u(id uuid, at timestamptz) join site_secret s on s.id = u.id
    where s.last_used_at is null or s.last_used_at < u.at
    for no key update of s skip locked
  ) used
  where site_secret.id = used.id`;

/**
 * Lets the current one stay valid for `seconds` more; earlier ones keep their own ends. Answers how many are valid then, which the caller bounds, as a
 * request may be compared with each. Lock the site first.
 */
export async function expireSiteSecret(sql: Sql, siteId: string, kind: SiteSecretKind, seconds: number): Promise<number> {
  await sql`delete from site_secret where site_id = ${siteId} and kind = ${kind} and expires_at <= now()`;
  await sql`
    update site_secret set expires_at = now() + make_interval(secs => ${seconds}::integer)
    where site_id = ${siteId} and kind = ${kind} and expires_at is null`;
  const rows = await sql`select id from site_secret where site_id = ${siteId} and kind = ${kind}`;
  return rows.length;
}

/** Ends every key or secret of the kind that the site has, at once. */
export const endSiteSecrets = (sql: Sql, siteId: string, kind: SiteSecretKind) =>
  sql`delete from site_secret where site_id = ${siteId} and kind = ${kind}`;

/** Removes secrets that expired an hour ago: that margin is larger than differences between clocks. */
export const forgetEndedSecrets = (sql: Sql) => sql`delete from site_secret where expires_at < now() - interval '1 hour'`;
