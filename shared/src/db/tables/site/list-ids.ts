import type { Sql } from "../../connect.ts";

/** All of the account's sites, deleted ones too: their log outlives them. */
export async function listSiteIds(sql: Sql, accountId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from site where account_id = ${accountId} order by id`;
  return rows.map(({ id }) => id);
}
