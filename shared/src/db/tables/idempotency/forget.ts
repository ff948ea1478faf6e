import type { Sql } from "../../connect.ts";

/** Removes a bounded number of keys whose window is over and whose original is answered. */
export async function forgetExpiredKeys(sql: Sql, limit = 5000): Promise<number> {
  const result = await sql`
    delete from idempotency where (site_id, event, key, dry_run) in (
      select i.site_id, i.event, i.key, i.dry_run from idempotency i
      where i.expires_at < now() - interval '1 minute' and not exists (
        select from event e where e.site_id = i.site_id and e.id = i.event_id and e.lease_until is not null)
      limit ${limit})`;
  return result.count;
}
