import type { Sql } from "../../connect.ts";
import { isOverdue, type Lateness } from "./hold.ts";

/** Whoever is not there yet will be learned: every site, or the one. */
export async function enlistSites(sql: Sql, siteId: string | null): Promise<void> {
  await sql`
    insert into event_learning (site_id)
    select id from site s
    where not exists (select from event_learning l where l.site_id = s.id) ${siteId === null ? sql`` : sql`and id = ${siteId}`}
    on conflict do nothing`;
}

/**
 * Sites with something to learn that nobody has looked at for `restSeconds`, those that have waited longest first: a new event, or events that were read
 * soon after they came and are to be read once more.
 */
export async function findDueSites(sql: Sql, { settledSeconds }: Lateness, restSeconds: number, limit: number): Promise<string[]> {
  // One look-up by key a site: as `exists` the planner might rather read all events there are.
  const rows = await sql<{ site_id: string }[]>`
    select l.site_id from event_learning l
    left join lateral (select id from event where site_id = l.site_id and id > l.fresh limit 1) e on true
    where (learned_at is null or learned_at <= now() - make_interval(secs => ${restSeconds}))
      and (e.id is not null or ${isOverdue(sql, settledSeconds)})
    order by learned_at nulls first, l.site_id limit ${limit}`;
  return rows.map(({ site_id }) => site_id);
}

/** Lets a site rest that could not be learned. */
export async function letRest(sql: Sql, siteId: string): Promise<void> {
  await sql`update event_learning set learned_at = now() where site_id = ${siteId}`;
}
