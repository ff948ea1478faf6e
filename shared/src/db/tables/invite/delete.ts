import type { Sql } from "../../connect.ts";

/** False when the account has no such invitation, or it was accepted. */
export async function deleteInvite(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`delete from invite where id = ${id} and account_id = ${accountId} and accepted_at is null returning id`;
  return rows.length > 0;
}
