import type { Sql } from "../../connect.ts";

export interface TemplatePollRow {
  due_at: Date;
  last_at: Date | null;
  problem: string | null;
}

/** Undefined while the account has no platform. */
export async function findTemplatePoll(sql: Sql, accountId: string): Promise<TemplatePollRow | undefined> {
  const [row] = await sql<TemplatePollRow[]>`select due_at, last_at, problem from template_poll where account_id = ${accountId}`;
  return row;
}
