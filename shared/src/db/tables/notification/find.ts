import type { Sql } from "../../connect.ts";
import { notificationColumns, type NotificationRow } from "./list.ts";

/** With what was sent (JSON) and the platform's whole error (JSON) however long it is. */
export interface NotificationDetailRow extends NotificationRow {
  components: string;
  whole_error: string | null;
}

/** The account's message. Names each of the account's sites, because the key begins with it. */
export async function findNotification(sql: Sql, accountId: string, id: string): Promise<NotificationDetailRow | undefined> {
  const [row] = await sql<NotificationDetailRow[]>`
    select ${notificationColumns(sql)}, components, error_detail as whole_error from notification
    where id = ${id} and site_id = any(array(select id from site where account_id = ${accountId}))`;
  return row;
}

/** All messages of events of one site, in the order in which they were made. */
export const listNotificationsOfEvents = (sql: Sql, siteId: string, eventIds: readonly string[], limit: number) =>
  sql<NotificationRow[]>`
    select ${notificationColumns(sql)} from notification
    where site_id = ${siteId} and event_id = any(${[...eventIds]}::uuid[])
    order by id limit ${limit}`;
