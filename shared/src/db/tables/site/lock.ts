import type { Sql } from "../../connect.ts";

/**
 * Holds the account's sites until the transaction ends, in the order of their ids so that two transactions cannot wait for each other; the ids of those that
 * exist. Taken before any write to recipients or bindings, whose triggers write the site's row.
 */
export async function lockSites(sql: Sql, accountId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select id from site where id = any(${[...ids]}::uuid[]) and account_id = ${accountId} and deleted_at is null order by id for no key update`;
  return new Set(rows.map((row) => row.id));
}
