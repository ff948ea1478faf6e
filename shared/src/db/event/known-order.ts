import type { Sql } from "../connect.ts";

/** The status that an order had last, as it is stored; null when none is known. */
export async function findOrderStatus(sql: Sql, siteId: string, orderId: string): Promise<string | null> {
  const [row] = await sql<{ status: string | null }[]>`select status from customer_order where site_id = ${siteId} and id = ${orderId}`;
  return row?.status ?? null;
}

/** Changes the status of a known order; of an unknown one there is nothing that a later status could differ from. */
export const setOrderStatus = (sql: Sql, siteId: string, orderId: string, status: string) =>
  sql`update customer_order set status = ${status}, updated_at = now() where site_id = ${siteId} and id = ${orderId}`;

/** The payload of an order's last event, as it is stored; undefined when it is not kept. */
export async function findOrderPayload(sql: Sql, siteId: string, orderId: string): Promise<{ id: string; payload: string } | undefined> {
  const [row] = await sql<{ id: string; payload: string }[]>`
    select p.id, p.payload from customer_order o join event_payload p on p.site_id = o.site_id and p.id = o.last_event_id
    where o.site_id = ${siteId} and o.id = ${orderId}`;
  return row;
}
