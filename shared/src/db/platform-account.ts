import type { Sql } from "./connect.ts";

/** What the dashboard may know of an account's platform credentials. */
export interface PlatformAccountRow {
  account_id: string;
  sandbox: boolean;
  waba_id: string;
  phone_number_id: string;
  api_version: string;
  app_id: string | null;
  access_token_hint: string;
  has_app_secret: boolean;
  stopped_code: string | null;
  stopped_reason: string | null;
  stopped_at: Date | null;
}

/** What a call to the platform takes; the secrets are encrypted. */
export interface PlatformCredentialsRow {
  sandbox: boolean;
  waba_id: string;
  phone_number_id: string;
  api_version: string;
  app_id: string | null;
  access_token: string;
  access_token_hint: string;
  app_secret: string | null;
}

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

/** The accounts that are connected to the sandbox: the number of each there, and since when its log is kept. */
export const listSandboxed = (sql: Sql) =>
  sql<{ phone_number_id: string; kept_since: Date }[]>`
    select p.phone_number_id, now() - make_interval(days => a.log_days) as kept_since
    from platform_account p join account a on a.id = p.account_id where p.sandbox order by p.account_id`;

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
