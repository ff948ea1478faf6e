import type { Sql } from "../../connect.ts";

/** The credentials that a send was made with: a stop must not hit those that have replaced them since. */
export interface StoppableAccount {
  accountId: string;
  phoneNumberId: string;
  /** As stored, encrypted. */
  accessTokenRecord: string;
}

/** Records that the platform refuses the whole account; from `seconds` on one message may try again. */
export async function stopAccount(
  sql: Sql,
  account: StoppableAccount,
  error: { code: string; reason: string },
  seconds: number,
): Promise<void> {
  await sql`
    update platform_account set stopped_code = ${error.code}, stopped_reason = ${error.reason}, stopped_at = coalesce(stopped_at, now()),
      probe_after = now() + make_interval(secs => ${seconds})
    where account_id = ${account.accountId} and phone_number_id = ${account.phoneNumberId} and access_token = ${account.accessTokenRecord}`;
}

/** True for the one caller, over all gateways, whose message is the probe of a stopped account. */
export async function takeProbe(sql: Sql, accountId: string, seconds: number): Promise<boolean> {
  const rows = await sql`
    update platform_account set probe_after = now() + make_interval(secs => ${seconds})
    where account_id = ${accountId} and stopped_code is not null and probe_after <= now()
    returning account_id`;
  return rows.length > 0;
}

export async function resumeAccount(sql: Sql, accountId: string): Promise<void> {
  await sql`
    update platform_account set stopped_code = null, stopped_reason = null, stopped_at = null, probe_after = null
    where account_id = ${accountId} and stopped_code is not null`;
}
