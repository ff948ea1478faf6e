import type { Sql } from "./connect.ts";
import { columns, of, type RowOf } from "./table.ts";

const settings = {
  sandbox: of<boolean>(),
  waba_id: of<string>(),
  phone_number_id: of<string>(),
  api_version: of<string>(),
  app_id: of<string | null>(),
  access_token_hint: of<string>(),
};

const platformAccountColumns = columns({
  account_id: of<string>(),
  ...settings,
  has_app_secret: of<boolean>({ read: "app_secret is not null", stored: false }),
  stopped_code: of<string | null>(),
  stopped_reason: of<string | null>(),
  stopped_at: of<Date | null>(),
});

/** An account's platform credentials without the secrets. */
export type PlatformAccountRow = RowOf<typeof platformAccountColumns>;

const credentialsColumns = columns({
  ...settings,
  /** Encrypted, as is the app secret. */
  access_token: of<string>(),
  app_secret: of<string | null>(),
});

/** The credentials for a call to the platform. */
export type PlatformCredentialsRow = RowOf<typeof credentialsColumns>;

export type NewPlatformAccount = PlatformCredentialsRow & { account_id: string };

const replaced = credentialsColumns.names.map((name) => `${name} = excluded.${name}`).join(", ");

/** Stores the account's credentials in place of earlier ones, and lets it send again if the platform had stopped it. */
export const savePlatformAccount = (sql: Sql, row: NewPlatformAccount) =>
  sql`
    insert into platform_account ${sql(row, "account_id", ...credentialsColumns.names)}
    on conflict (account_id) do update set ${sql.unsafe(replaced)},
      stopped_code = null, stopped_reason = null, stopped_at = null, probe_after = null, updated_at = now()`;

export async function findPlatformAccount(sql: Sql, accountId: string): Promise<PlatformAccountRow | undefined> {
  const [row] = await sql<PlatformAccountRow[]>`
    select ${platformAccountColumns.read(sql)} from platform_account where account_id = ${accountId}`;
  return row;
}

export async function findPlatformCredentials(sql: Sql, accountId: string): Promise<PlatformCredentialsRow | undefined> {
  const [row] = await sql<PlatformCredentialsRow[]>`
    select ${credentialsColumns.read(sql)} from platform_account where account_id = ${accountId}`;
  return row;
}

/** The credentials, locked until the transaction ends. */
export async function lockPlatformCredentials(sql: Sql, accountId: string): Promise<PlatformCredentialsRow | undefined> {
  const [row] = await sql<PlatformCredentialsRow[]>`
    select ${credentialsColumns.read(sql)} from platform_account where account_id = ${accountId} for update`;
  return row;
}

/** The accounts that are connected to the sandbox, with the start of their kept logs. */
export const listSandboxed = (sql: Sql) =>
  sql<{ account_id: string; kept_since: Date }[]>`
    select p.account_id, now() - make_interval(days => a.log_days) as kept_since
    from platform_account p join account a on a.id = p.account_id where p.sandbox order by p.account_id`;

/** The credentials that a send was made with: a stop must not hit newer ones. */
export interface StoppableAccount {
  accountId: string;
  phoneNumberId: string;
  /** The token in its stored form, encrypted. */
  accessTokenRecord: string;
}

/** Records that the platform refuses the whole account; after `seconds` one message may try again. */
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

/**
 * Records that an accepted message failed for a reason that concerns the whole account; after `seconds` one message may try again. False, without a
 * change, if the account is stopped already or its settings are newer than the failure.
 */
export async function stopAccountByCallback(
  sql: Sql,
  accountId: string,
  error: { code: string; reason: string; at: Date },
  seconds: number,
): Promise<boolean> {
  const rows = await sql`
    update platform_account set stopped_code = ${error.code}, stopped_reason = ${error.reason}, stopped_at = now(),
      probe_after = now() + make_interval(secs => ${seconds})
    where account_id = ${accountId} and stopped_code is null and date_trunc('second', updated_at) <= ${error.at}
    returning account_id`;
  return rows.length > 0;
}

/** True for one caller, over all gateways, whose message is the probe of the stopped account. */
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

export const deletePlatformAccount = (sql: Sql, accountId: string) => sql`delete from platform_account where account_id = ${accountId}`;
