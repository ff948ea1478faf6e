import type { Sql } from "./connect.ts";

export type SiteSecretKind = "api_key" | "webhook_secret";

/** A site's API key or webhook secret, without what could be used. `expires_at` is null for the current one. */
export interface SiteSecretRow {
  id: string;
  kind: SiteSecretKind;
  hint: string;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

const siteSecretColumns = (sql: Sql) => sql`id, kind, hint, expires_at, last_used_at, created_at`;

/** Ends every key or secret of the kind that the site has, at once. */
export const endSiteSecrets = (sql: Sql, siteId: string, kind: SiteSecretKind) =>
  sql`delete from site_secret where site_id = ${siteId} and kind = ${kind}`;

/**
 * Lets the current one count for `seconds` more, beside those that were rotated before and keep their own ends. Answers how many count then, a number to be
 * bounded: a request may be tried against each. Lock the site first.
 */
export async function expireSiteSecret(sql: Sql, siteId: string, kind: SiteSecretKind, seconds: number): Promise<number> {
  await sql`delete from site_secret where site_id = ${siteId} and kind = ${kind} and expires_at <= now()`;
  await sql`
    update site_secret set expires_at = now() + make_interval(secs => ${seconds}::integer)
    where site_id = ${siteId} and kind = ${kind} and expires_at is null`;
  const rows = await sql`select id from site_secret where site_id = ${siteId} and kind = ${kind}`;
  return rows.length;
}

/** Removes what ended a while ago, by a margin larger than clocks differ. */
export const forgetEndedSecrets = (sql: Sql) => sql`delete from site_secret where expires_at < now() - interval '1 hour'`;

export type NewSiteSecret = { id: string; siteId: string; hint: string } & (
  | { kind: "api_key"; /** SHA-256 of the API key. */ keyHash: Buffer }
  | { kind: "webhook_secret"; /** Encrypted by the vault. */ secret: string }
);

/** The site's new current key or secret: the one before must have been given its end. */
export async function insertSiteSecret(sql: Sql, made: NewSiteSecret): Promise<void> {
  const keyHash = made.kind === "api_key" ? made.keyHash : null;
  const secret = made.kind === "webhook_secret" ? made.secret : null;
  await sql`
    insert into site_secret (id, site_id, kind, key_hash, secret, hint)
    values (${made.id}, ${made.siteId}, ${made.kind}, ${keyHash}, ${secret}, ${made.hint})`;
}

/** The keys and secrets of the site that count at present, the current ones first. */
export const listSiteSecrets = (sql: Sql, siteId: string) =>
  sql<SiteSecretRow[]>`
    select ${siteSecretColumns(sql)} from site_secret
    where site_id = ${siteId} and (expires_at is null or expires_at > now())
    order by kind, expires_at desc nulls first, id`;

export interface SecretUse {
  id: string;
  at: Date;
}

/** Writes down when keys and secrets were last used. Skips what another gateway is writing: it knows as well, and neither waits. */
export async function noteSecretUses(sql: Sql, uses: readonly SecretUse[]): Promise<void> {
  await sql`
    update site_secret set last_used_at = used.at
    from (
      select s.id, u.at
      from json_to_recordset(${JSON.stringify(uses)}::text::json) as u(id uuid, at timestamptz) join site_secret s on s.id = u.id
      where s.last_used_at is null or s.last_used_at < u.at
      for no key update of s skip locked
    ) used
    where site_secret.id = used.id`;
}
