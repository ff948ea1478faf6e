import type { Sql } from "../../connect.ts";

/** What is left out stays. */
export async function setRetention(
  sql: Sql,
  id: string,
  { payloadDays, logDays }: { payloadDays?: number | undefined; logDays?: number | undefined },
): Promise<void> {
  await sql`
    update account set payload_days = coalesce(${payloadDays ?? null}, payload_days), log_days = coalesce(${logDays ?? null}, log_days)
    where id = ${id}`;
}
