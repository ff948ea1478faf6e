import type { Sql } from "../../connect.ts";
import type { EventKindRow } from "./row.ts";

/** A page of the names of the site's events, the one that was received last first. `before`: the event that the page starts after, null for the first. */
export const listEventKinds = (sql: Sql, siteId: string, page: { before: string | null; limit: number }) =>
  sql<Pick<EventKindRow, "name" | "last_event_id">[]>`
    select name, last_event_id from event_kind
    where site_id = ${siteId} ${page.before === null ? sql`` : sql`and last_event_id < ${page.before}`}
    order by last_event_id desc limit ${page.limit}`;
