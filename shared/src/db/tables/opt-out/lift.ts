import type { Sql } from "../../connect.ts";

/** Lets the person be written to again, until the next word to the contrary; false when the account has no such entry. */
export async function liftOptOut(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`
    -- To the second, as the platform tells times: of the same second the next word counts.
    update opt_out set active = false, phone = null, told_at = greatest(told_at, date_trunc('second', now()))
    where id = ${id} and account_id = ${accountId} and active
    returning id`;
  return rows.length > 0;
}
