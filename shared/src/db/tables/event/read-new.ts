import type { Sql } from "../../connect.ts";

/** An event to learn from. */
export interface NewEvent {
  site_id: string;
  id: string;
  name: string;
  /** 1 for the newest of its name in the page, and so on. */
  newest: number;
  /** How many events the site's page holds. */
  total: number;
  /** Of the payload; null when it is gone. */
  bytes: number | null;
}

/**
 * The events that come after an id at each site, `rows` of each at the most, the oldest first; of each name the newest `samples` are answered.
 * Reads no payload: its length stands beside it.
 */
export const readNewEvents = (
  sql: Sql,
  starts: readonly { site_id: string; after: string }[],
  { rows, samples }: { rows: number; samples: number },
) =>
  sql<NewEvent[]>`
    select page.site_id, page.id, name, newest, total, payload.bytes
    from (
      select s.site_id, e.id, e.name, row_number() over (partition by s.site_id, e.name order by e.id desc)::integer as newest,
        count(*) over (partition by s.site_id)::integer as total
      from json_to_recordset(${JSON.stringify(starts)}::text::json) as s(site_id uuid, after uuid)
      cross join lateral (select id, name from event where site_id = s.site_id and id > s.after order by id limit ${rows}) e
    ) page
    left join lateral (select octet_length(payload) as bytes from event_payload where site_id = page.site_id and id = page.id limit 1) payload on true
    where newest <= ${samples}`;

/** The payloads of events, the texts received; those that are gone are left out. One look-up by key for each, however the table grows. */
export const readPayloads = (sql: Sql, events: readonly Pick<NewEvent, "site_id" | "id">[]) =>
  sql<{ id: string; payload: string }[]>`
    select r.id, e.payload
    from json_to_recordset(${JSON.stringify(events.map(({ site_id, id }) => ({ site_id, id })))}::text::json) as r(site_id uuid, id uuid)
    cross join lateral (select payload from event_payload where site_id = r.site_id and id = r.id limit 1) e`;
