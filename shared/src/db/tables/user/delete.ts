import type { Sql } from "../../connect.ts";

/** Sessions, access tokens and invites of the user go with it. */
export async function deleteUser(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`delete from app_user where id = ${id} and account_id = ${accountId} returning id`;
  return rows.length > 0;
}
