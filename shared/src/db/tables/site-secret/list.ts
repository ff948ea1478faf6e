import type { Sql } from "../../connect.ts";
import { siteSecretColumns, type SiteSecretRow } from "./row.ts";

/** The keys and secrets of the site that count at present, the current ones first. */
export const listSiteSecrets = (sql: Sql, siteId: string) =>
  sql<SiteSecretRow[]>`
    select ${siteSecretColumns(sql)} from site_secret
    where site_id = ${siteId} and (expires_at is null or expires_at > now())
    order by kind, expires_at desc nulls first, id`;
