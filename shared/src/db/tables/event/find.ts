import type { Sql } from "../../connect.ts";
import { eventColumns, type EventRow } from "./list.ts";

/** The account's event with its payload, the text received. Names each of the account's sites, because the key begins with it. */
export async function findEvent(sql: Sql, accountId: string, id: string): Promise<(EventRow & { payload: string }) | undefined> {
  const [row] = await sql<(EventRow & { payload: string })[]>`
    select ${eventColumns(sql)}, payload from event join event_payload using (site_id, id)
    where id = ${id} and site_id = any(array(select id from site where account_id = ${accountId}))`;
  return row;
}
