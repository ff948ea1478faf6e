import type { Sql } from "../../connect.ts";

/**
 * Records that the platform failed an accepted message for a reason that lies with the whole account; from `seconds` on one message may try again.
 * Nothing happens to an account that is stopped already, or whose settings were changed after the failure.
 */
export const stopAccountByCallback = async (
  sql: Sql,
  accountId: string,
  error: { code: string; reason: string; at: Date },
  seconds: number,
): Promise<boolean> => {
  const rows = await sql`
    update platform_account set stopped_code = ${error.code}, stopped_reason = ${error.reason}, stopped_at = now(),
      probe_after = now() + make_interval(secs => ${seconds})
    where account_id = ${accountId} and stopped_code is null and date_trunc('second', updated_at) <= ${error.at}
    returning account_id`;
  return rows.length > 0;
};
