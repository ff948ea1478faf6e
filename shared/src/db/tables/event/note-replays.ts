import type { Sql } from "../../connect.ts";

/** An event whose answer was given again, so many times. */
export interface EventReplays {
  site_id: string;
  id: string;
  times: number;
}

/** Adds to the counts of events. Rows are picked by lists and joined by text: see `settle`. */
export async function noteReplays(sql: Sql, replays: readonly EventReplays[]): Promise<void> {
  const ids = replays.map(({ id }) => id).toSorted();
  const sites = [...new Set(replays.map(({ site_id }) => site_id))];
  await sql`
    update event e set replays = e.replays + r.times
    from json_to_recordset(${JSON.stringify(replays)}::text::json) as r(site_id uuid, id uuid, times integer)
    where e.site_id = any(${sites}::uuid[]) and e.id = any(${ids}::uuid[]) and e.id >= ${ids[0] ?? null}::uuid and e.id <= ${ids.at(-1) ?? null}::uuid
      and e.id::text = r.id::text and e.site_id = r.site_id`;
}
