import type { Sql } from "../../connect.ts";
import { resendJobColumns, type ResendJobRow } from "./row.ts";

export async function findResendJob(sql: Sql, accountId: string, id: string): Promise<ResendJobRow | undefined> {
  const [row] = await sql<ResendJobRow[]>`select ${resendJobColumns(sql)} from resend_job where id = ${id} and account_id = ${accountId}`;
  return row;
}
