import type { Sql } from "../../connect.ts";
import { notificationColumns, type NotificationRow } from "./list.ts";

/** With what was sent (JSON) and the platform's whole error (JSON). */
export interface NotificationDetailRow extends NotificationRow {
  components: string;
  error_detail: string | null;
}

/** The account's message. Names each of the account's sites, because the key begins with it. */
export async function findNotification(sql: Sql, accountId: string, id: string): Promise<NotificationDetailRow | undefined> {
  const [row] = await sql<NotificationDetailRow[]>`
    select ${notificationColumns(sql)}, components, error_detail from notification
    where id = ${id} and site_id = any(array(select id from site where account_id = ${accountId}))`;
  return row;
}
