import type { Sql } from "../../connect.ts";
import type { SiteSecretKind } from "./row.ts";

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
