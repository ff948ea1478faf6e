import type { Sql } from "./connect.ts";

/** An order as its site's events name it. */
export interface OrderRow {
  id: string;
  site_id: string;
  external_id: string | null;
  number: string | null;
  status: string | null;
  total: string | null;
  currency: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The account's orders among these ids, of deleted sites too. */
export const findOrders = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<OrderRow[]>`
    select id, site_id, external_id, number, status, total, currency, created_at, updated_at from customer_order
    where site_id = any(array(select id from site where account_id = ${accountId})) and id = any(${[...ids]}::uuid[])`;
