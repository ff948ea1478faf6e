import type { Sql } from "../../connect.ts";
import type { AccountRow } from "./row.ts";

export async function findAccount(sql: Sql, id: string): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    select id, name, timezone, verify_token, payload_days, log_days from account where id = ${id}`;
  return row;
}
