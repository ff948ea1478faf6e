import type { Sql } from "./connect.ts";
import { columns, of, type RowOf } from "./table.ts";

const orderColumns = columns({
  id: of<string>(),
  site_id: of<string>(),
  external_id: of<string | null>(),
  number: of<string | null>(),
  status: of<string | null>(),
  total: of<string | null>(),
  currency: of<string | null>(),
  created_at: of<Date>(),
  updated_at: of<Date>(),
});

/** An order as its site's events name it; `claimEvents` writes it. */
export type OrderRow = RowOf<typeof orderColumns>;

/** The account's orders among these ids, those of deleted sites too. */
export const findOrders = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<OrderRow[]>`
    select ${orderColumns.read(sql)} from customer_order
    where site_id = any(array(select id from site where account_id = ${accountId})) and id = any(${[...ids]}::uuid[])`;
