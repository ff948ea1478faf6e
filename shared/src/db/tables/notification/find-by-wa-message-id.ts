import type { Sql } from "../../connect.ts";

export interface WaMessageRow {
  wa_message_id: string;
  site_id: string;
  id: string;
  attempt: number;
}

/** The account's notifications that the platform knows by these ids. The one statement on the log that cannot name a site. */
export const findByWaMessageIds = async (sql: Sql, accountId: string, waMessageIds: readonly string[]): Promise<WaMessageRow[]> =>
  sql<WaMessageRow[]>`
    select wa_message_id, site_id, id, attempt from notification
    where wa_message_id = any(${[...waMessageIds]}::text[]) and account_id = ${accountId}`;
