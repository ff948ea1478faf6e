import type { Sql } from "../../connect.ts";
import type { PlatformAccountRow, PlatformCredentialsRow } from "./row.ts";

export async function findPlatformAccount(sql: Sql, accountId: string): Promise<PlatformAccountRow | undefined> {
  const [row] = await sql<PlatformAccountRow[]>`
    select account_id, sandbox, waba_id, phone_number_id, api_version, app_id, access_token_hint, app_secret is not null as has_app_secret,
      stopped_code, stopped_reason, stopped_at
    from platform_account where account_id = ${accountId}`;
  return row;
}

export async function findPlatformCredentials(sql: Sql, accountId: string): Promise<PlatformCredentialsRow | undefined> {
  const [row] = await sql<PlatformCredentialsRow[]>`
    select sandbox, waba_id, phone_number_id, api_version, app_id, access_token, access_token_hint, app_secret
    from platform_account where account_id = ${accountId}`;
  return row;
}
