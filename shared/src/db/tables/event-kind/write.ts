import type { Sql } from "../../connect.ts";
import type { LearningCursors } from "../event-learning/hold.ts";
import type { EventKindRow } from "./row.ts";

/** What was learned of sites that are held (`holdLearning`), and how far they are now learned; one statement. */
export async function writeLearned(sql: Sql, kinds: readonly EventKindRow[], cursors: readonly LearningCursors[]): Promise<void> {
  await sql`
    with written as (
      insert into event_kind as k (site_id, name, last_event_id, fields)
      select site_id, name, last_event_id, fields
      from json_to_recordset(${JSON.stringify(kinds)}::text::json) as r(site_id uuid, name text, last_event_id uuid, fields json)
      order by site_id, name
      on conflict (site_id, name) do update set last_event_id = greatest(k.last_event_id, excluded.last_event_id), fields = excluded.fields
    )
    update event_learning l set fresh = c.fresh, settled = c.settled, learned_at = case when not c.has_more then now() end
    from json_to_recordset(${JSON.stringify(cursors)}::text::json) as c(site_id uuid, fresh uuid, settled uuid, has_more boolean)
    where l.site_id = c.site_id`;
}

/** Lets go of the names that the sites have not received for longest, beyond as many as `keep` a site. */
export async function dropLongUnseenKinds(sql: Sql, siteIds: readonly string[], keep: number): Promise<void> {
  await sql`
    delete from event_kind k
    using (
      select site_id, name, row_number() over (partition by site_id order by last_event_id desc) as place
      from event_kind where site_id in ${sql(siteIds)}
    ) ranked
    where ranked.place > ${keep} and k.site_id = ranked.site_id and k.name = ranked.name`;
}
