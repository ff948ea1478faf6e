import type { Sql } from "../../connect.ts";
import type { EventKindRow } from "./row.ts";

/** Those that are known, in any order. */
export const findEventKinds = (sql: Sql, keys: readonly Pick<EventKindRow, "site_id" | "name">[]) =>
  sql<EventKindRow[]>`
    select k.site_id, k.name, k.last_event_id, k.fields
    from json_to_recordset(${JSON.stringify(keys)}::text::json) as r(site_id uuid, name text)
    join event_kind k on k.site_id = r.site_id and k.name = r.name`;
