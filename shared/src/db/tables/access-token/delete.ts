import type { Sql } from "../../connect.ts";

/** False when the account, or with `createdBy` that user, has no such token. */
export async function deleteAccessToken(sql: Sql, accountId: string, id: string, createdBy: string | null): Promise<boolean> {
  const rows = await sql`
    delete from access_token
    where id = ${id} and account_id = ${accountId} ${createdBy === null ? sql`` : sql`and created_by = ${createdBy}`}
    returning id`;
  return rows.length > 0;
}
