import type { Sql } from "../../connect.ts";
import { eventColumns, type EventRow } from "./list.ts";

export interface EventDetailRow extends EventRow {
  /** The text received; null when it was forgotten before its event. */
  payload: string | null;
  /** JSON: what its messages do not tell; null when they tell all. */
  trace: string | null;
}

/** The account's event. Names each of the account's sites, because the key begins with it. */
export async function findEvent(sql: Sql, accountId: string, id: string): Promise<EventDetailRow | undefined> {
  const [row] = await sql<EventDetailRow[]>`
    select ${eventColumns(sql)}, payload, trace from event left join event_payload using (site_id, id)
    where id = ${id} and site_id = any(array(select id from site where account_id = ${accountId}))`;
  return row;
}
