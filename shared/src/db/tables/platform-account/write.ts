import type { Sql } from "../../connect.ts";

export interface NewPlatformAccount {
  accountId: string;
  sandbox: boolean;
  wabaId: string;
  phoneNumberId: string;
  apiVersion: string;
  appId: string | null;
  /** Encrypted. */
  accessToken: string;
  accessTokenHint: string;
  /** Encrypted. */
  appSecret: string | null;
}

/** Stores the account's credentials in place of what it had, and lets it send again if the platform had stopped it. */
export const savePlatformAccount = (sql: Sql, row: NewPlatformAccount) =>
  sql`
    insert into platform_account (account_id, sandbox, waba_id, phone_number_id, api_version, app_id, access_token, access_token_hint, app_secret)
    values (${row.accountId}, ${row.sandbox}, ${row.wabaId}, ${row.phoneNumberId}, ${row.apiVersion}, ${row.appId}, ${row.accessToken},
      ${row.accessTokenHint}, ${row.appSecret})
    on conflict (account_id) do update set
      sandbox = excluded.sandbox, waba_id = excluded.waba_id, phone_number_id = excluded.phone_number_id, api_version = excluded.api_version,
      app_id = excluded.app_id, access_token = excluded.access_token, access_token_hint = excluded.access_token_hint,
      app_secret = excluded.app_secret, stopped_code = null, stopped_reason = null, stopped_at = null, probe_after = null, updated_at = now()`;

export const deletePlatformAccount = (sql: Sql, accountId: string) => sql`delete from platform_account where account_id = ${accountId}`;
