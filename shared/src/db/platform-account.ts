import { movingAccount } from "./account.ts";
import { type RowOf, type Sql, columns, hasRows, of, one } from "./statement.ts";

const settings = {
  sandbox: of<boolean>(),
  ...of.texts("waba_id", "phone_number_id", "api_version"),
  app_id: of<string | null>(),
  access_token_hint: of<string>(),
};

const platformAccountColumns = columns({
  account_id: of<string>(),
  ...settings,
  has_app_secret: of<boolean>({ read: "app_secret is not null", stored: false }),
  ...of.each(of<string | null>(), "stopped_code", "stopped_reason"),
  stopped_at: of<Date | null>(),
  /** The end of the stop, if the platform has told it. */
  stopped_until: of<Date | null>(),
  /** Whether the platform limits the number as possible spam. */
  is_limited: of<boolean>({ read: "coalesce(limited_number = phone_number_id, false)", stored: false }),
  marketing_route: of<MarketingRoute>(),
});

/** The platform's endpoint that marketing templates go to. */
export type MarketingRoute = "messages" | "marketing_messages";

/** SQL: whether the account of the row `p` is stopped, or its number limited. */
export const isStopped = (p: string): string => `(${p}.stopped_code is not null or ${p}.limited_number = ${p}.phone_number_id)`;
/** SQL: a time that never comes. Earlier versions cannot subtract from infinity. */
const never = "timestamptz '9999-12-31'";
const laterOf = (p: string, endOfStopped: string): string => `greatest(case when ${p}.stopped_code is not null then ${endOfStopped} end,
  case when ${p}.limited_number = ${p}.phone_number_id then ${p}.limited_probe_after end)`;
/** SQL: from when on a message tries out whether a stop is over. Of one that the platform told, an admin server's check does so before, where one runs. */
export const probeAt = (p: string): string =>
  `(${p}.probe_after + case when ${p}.stop_waits then interval '15 seconds' else interval '0' end)`;
/** SQL: when one of its messages may be tried then; null while neither is so. */
export const nextTry = (p: string): string => laterOf(p, probeAt(p));
/** SQL: when what has waited until now may leave; null while the platform has named no end. */
export const endOfStop = (p: string): string => `nullif(${laterOf(p, `${p}.probe_after`)}, ${never})`;

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

const resumed =
  "stopped_code = null, stopped_reason = null, stopped_at = null, stopped_until = null, stop_waits = false, probe_after = null";

const replaced = credentialsColumns.names.map((name) => `${name} = excluded.${name}`).join(", ");

/** Stores the account's credentials in place of earlier ones, and lets it send again if the platform had stopped it. */
export const savePlatformAccount = (sql: Sql, row: PlatformCredentialsRow & { account_id: string }) =>
  sql`
    insert into platform_account ${sql(row, "account_id", ...credentialsColumns.names)}
    on conflict (account_id) do update set ${sql.unsafe(replaced)}, ${sql.unsafe(resumed)}, updated_at = now()`;

/** Chooses the way of marketing templates; false if the account is not connected. */
export const setMarketingRoute = (sql: Sql, accountId: string, route: MarketingRoute) =>
  hasRows(
    sql`update platform_account set marketing_route = ${route}, updated_at = now() where account_id = ${accountId} returning account_id`,
  );

export const findPlatformAccount = (sql: Sql, accountId: string) =>
  one(sql<PlatformAccountRow[]>`
    select ${platformAccountColumns.read(sql)} from platform_account where account_id = ${accountId}`);

export const findPlatformCredentials = (sql: Sql, accountId: string) =>
  one(sql<PlatformCredentialsRow[]>`
    select ${credentialsColumns.read(sql)} from platform_account where account_id = ${accountId}`);

/** The credentials, locked until the transaction ends. */
export const lockPlatformCredentials = (sql: Sql, accountId: string) =>
  one(sql<PlatformCredentialsRow[]>`
    select ${credentialsColumns.read(sql)} from platform_account where account_id = ${accountId} for update`);

/** The accounts that are connected to the sandbox, or have test sites, with the start of their kept logs. */
export const listSandboxed = (sql: Sql) =>
  sql<{ account_id: string; kept_since: Date }[]>`
    select a.id as account_id, now() - make_interval(days => a.log_days) as kept_since from account a
    where exists (select from platform_account p where p.account_id = a.id and p.sandbox) or exists (select from test_connection t where t.account_id = a.id)
    order by a.id`;

/** The credentials that a send was made with: a stop must not hit newer ones. */
export interface StoppableAccount {
  accountId: string;
  phoneNumberId: string;
  /** The token in its stored form, encrypted. */
  accessTokenRecord: string;
}

/** Seconds for which the messages of what is paused are not even tried. */
export const pauseSeconds = 60;
/** SQL: when one of its messages may try again. */
const nextProbe = `now() + interval '${pauseSeconds} seconds'`;

/** Records that the platform refuses the whole account; after the pause one message may try again. */
export const stopAccount = (sql: Sql, account: StoppableAccount, error: { code: string; reason: string }) => sql`
  update platform_account set stopped_code = ${error.code}, stopped_reason = ${error.reason}, stopped_at = coalesce(stopped_at, now()),
    stopped_until = null, stop_waits = false, probe_after = ${sql.unsafe(nextProbe)}
  where account_id = ${account.accountId} and phone_number_id = ${account.phoneNumberId} and access_token = ${account.accessTokenRecord}`;

/**
 * Records that an accepted message failed for a reason that concerns the whole account; after the pause one message may try again. False, without a
 * change, if the account is stopped already or its settings are newer than the failure.
 */
export const stopAccountByCallback = (sql: Sql, accountId: string, error: { code: string; reason: string; at: Date }) =>
  hasRows(sql`
    update platform_account set stopped_code = ${error.code}, stopped_reason = ${error.reason}, stopped_at = now(),
      probe_after = ${sql.unsafe(nextProbe)}
    where account_id = ${accountId} and stopped_code is null and date_trunc('second', updated_at) <= ${error.at}
    returning account_id`);

/** True for one caller, over all gateways, whose message is the probe of the stopped account. */
export const takeProbe = (sql: Sql, accountId: string) =>
  hasRows(sql`
    update platform_account set probe_after = ${sql.unsafe(nextProbe)}
    where account_id = ${accountId} and stopped_code is not null and ${sql.unsafe(probeAt("platform_account"))} <= now()
    returning account_id`);

export const resumeAccount = (sql: Sql, accountId: string) => sql`
  update platform_account set ${sql.unsafe(resumed)} where account_id = ${accountId} and stopped_code is not null`;

/** SQL: whether the stop is over, as the platform says. */
const isOver = `stopped_code is not null and stop_waits and probe_after < ${never} and coalesce(stopped_until, now()) <= now()`;

/** Lets an account send again after a good check whose stop is over. */
export const resumeAfterEnd = (sql: Sql, accountId: string) => sql`
  update platform_account set ${sql.unsafe(resumed)} where account_id = ${accountId} and ${sql.unsafe(isOver)}`;

/** Says why an account stays stopped whose stop is over and whose check fails; false for any other. No message tries it out until the next check. */
export const stayAfterEnd = (sql: Sql, accountId: string, reason: string) =>
  hasRows(sql`
    update platform_account set stopped_reason = ${reason}, probe_after = ${sql.unsafe(nextProbe)}
    where account_id = ${accountId} and ${sql.unsafe(isOver)} returning account_id`);

/** What the platform tells of an account: that it may send nothing (`until`: null where no end is named), or that it may again. */
export interface AccountNews {
  at: Date;
  stop: { code: string; reason: string; until: Date | null } | null;
}

/**
 * Stops the account as the platform says, or has it try again: by a check, else by a message; false, without a change, for older news and for what was told
 * already. Its messages wait meanwhile, and nothing is tried before the end.
 */
export async function heedNews(sql: Sql, accountId: string, { at, stop }: AccountNews): Promise<boolean> {
  const event = stop?.code ?? "";
  const set =
    stop === null
      ? sql`probe_after = case when stopped_code is not null then now() end, stopped_until = null`
      : sql`stopped_code = ${stop.code}, stopped_reason = ${stop.reason}, stopped_at = now(), stopped_until = ${stop.until}, stop_waits = true,
          probe_after = coalesce(${stop.until}::timestamptz, ${sql.unsafe(never)})`;
  return hasRows(sql`
    update platform_account set ${set}, told_at = ${at}, told_event = ${event}
    where account_id = ${accountId} and (told_at is null or told_at < ${at} or (told_at = ${at} and told_event <> ${event})) returning account_id`);
}

/** Records that the platform limits a number, whoever uses it; after the pause one message may try again. */
export const limitNumber = (sql: Sql, phoneNumberId: string) => sql`
  update platform_account set limited_number = phone_number_id, limited_probe_after = ${sql.unsafe(nextProbe)}
  where phone_number_id = ${phoneNumberId}`;

/** True for one caller, over all gateways, whose message is the probe of the limited number. */
export const takeNumberProbe = (sql: Sql, phoneNumberId: string) =>
  hasRows(sql`
    update platform_account set limited_probe_after = ${sql.unsafe(nextProbe)}
    where phone_number_id = ${phoneNumberId} and limited_number = phone_number_id and limited_probe_after <= now() returning account_id`);

export const freeNumber = (sql: Sql, phoneNumberId: string) =>
  sql`update platform_account set limited_number = null, limited_probe_after = null where phone_number_id = ${phoneNumberId} and limited_number is not null`;

export const deletePlatformAccount = (sql: Sql, accountId: string) => sql`delete from platform_account where account_id = ${accountId}`;

const connectionColumns = columns({
  ...of.texts("account_id", "waba_id", "phone_number_id"),
  /** Encrypted, as is the app secret. */
  ...of.texts("access_token", "app_secret"),
});

/** The account's business account in the sandbox, by which its test sites send, whatever its platform is. */
export type TestConnectionRow = RowOf<typeof connectionColumns>;

/** Gateways that know the account's sites read them anew. */
export const saveTestConnection = (sql: Sql, row: TestConnectionRow) => sql`
  with saved as (
    insert into test_connection ${sql(row, ...connectionColumns.names)}
    on conflict (account_id) do update set waba_id = excluded.waba_id, phone_number_id = excluded.phone_number_id, access_token = excluded.access_token,
      app_secret = excluded.app_secret, updated_at = now() returning account_id
  )
  update account set config_version = config_version + 1 where id in (select account_id from saved)`;

/** Some accounts whose test sites have no connection here: they came from another installation. */
export const listUnconnected = (sql: Sql) => sql<{ account_id: string }[]>`
  select distinct s.account_id from site s join account a on a.id = s.account_id
  where s.mode = 'test' and s.deleted_at is null and not ${sql.unsafe(movingAccount)} and not exists (select from test_connection c where c.account_id = s.account_id)
  limit 20`;

/** Whether the account has had a test site. */
export const hasTestConnection = (sql: Sql, accountId: string) => hasRows(sql`select from test_connection where account_id = ${accountId}`);
