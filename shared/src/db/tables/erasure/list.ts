import type { Sql } from "../../connect.ts";
import { erasureColumns, type ErasureRow } from "./row.ts";

export async function findErasure(sql: Sql, accountId: string, id: string): Promise<ErasureRow | undefined> {
  const [row] = await sql<ErasureRow[]>`select ${erasureColumns(sql)} from erasure where id = ${id} and account_id = ${accountId}`;
  return row;
}

/** A page of the account's requests, newest first. */
export const listErasures = (sql: Sql, accountId: string, page: { before: string | null; limit: number }) =>
  sql<ErasureRow[]>`
    select ${erasureColumns(sql)} from erasure
    where account_id = ${accountId} ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
