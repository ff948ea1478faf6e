import type { Sql } from "../connect.ts";
import { eventOfIds } from "./answer.ts";

/** The last known state of a shop's order. */
export interface OrderState {
  /** The status as it is stored; null when none is known. */
  status: string | null;
  /** Whether an event has taken the key. */
  told: boolean;
}

export async function findOrderState(sql: Sql, siteId: string, orderId: string, key: string | null): Promise<OrderState> {
  const [row] = await sql<[OrderState]>`
    select (select status from customer_order where site_id = ${siteId} and id = ${orderId}) as status,
      exists (
        select from idempotency
        where site_id = ${siteId} and event = ${eventOfIds} and key = ${key} and not dry_run and expires_at > now()) as told`;
  return row;
}

/** Changes the status of a known order; an unknown one has none that a later status could differ from. */
export const setOrderStatus = (sql: Sql, siteId: string, orderId: string, status: string) =>
  sql`update customer_order set status = ${status}, updated_at = now() where site_id = ${siteId} and id = ${orderId}`;

/** The payload of an order's last event, as it is stored; undefined when it is not kept. */
export async function findOrderPayload(sql: Sql, siteId: string, orderId: string): Promise<{ id: string; payload: string } | undefined> {
  const [row] = await sql<{ id: string; payload: string }[]>`
    select p.id, p.payload from customer_order o join event_payload p on p.site_id = o.site_id and p.id = o.last_event_id
    where o.site_id = ${siteId} and o.id = ${orderId}`;
  return row;
}
