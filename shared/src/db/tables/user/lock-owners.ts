import type { Sql } from "../../connect.ts";

/** The ids of the account's owners, held until the transaction ends: of two owners who demote each other at once, the second sees one left. */
export async function lockOwners(sql: Sql, accountId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from app_user where account_id = ${accountId} and role = 'owner' order by id for update`;
  return rows.map((row) => row.id);
}
