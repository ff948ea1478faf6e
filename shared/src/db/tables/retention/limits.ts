import type { Sql } from "../../connect.ts";

/** How long a site's rows are kept, as the smallest ids that stay. */
export interface SiteRetention {
  site_id: string;
  /** Never later than `log_before`'s: a payload does not outlive its event. */
  payloads_before: string;
  log_before: string;
}

/** A page of all sites, deleted ones too: their log outlives them. */
export const listSiteRetentions = (sql: Sql, after: string | null, limit: number) =>
  sql<SiteRetention[]>`
    select s.id as site_id, uuid_at(now() - make_interval(days => least(a.payload_days, a.log_days))) as payloads_before,
      uuid_at(now() - make_interval(days => a.log_days)) as log_before
    from site s join account a on a.id = s.account_id
    where true ${after === null ? sql`` : sql`and s.id > ${after}`}
    order by s.id limit ${limit}`;

/** The ids below which no account keeps anything. */
export async function findLongestRetention(sql: Sql): Promise<Pick<SiteRetention, "payloads_before" | "log_before">> {
  const [row] = await sql<[Pick<SiteRetention, "payloads_before" | "log_before">]>`
    select uuid_at(now() - make_interval(days => coalesce(max(least(payload_days, log_days)), 90))) as payloads_before,
      uuid_at(now() - make_interval(days => coalesce(max(log_days), 90))) as log_before
    from account`;
  return row;
}
