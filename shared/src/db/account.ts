import type { OptOutScope } from "../core/message.ts";
import { defaultStartWords, defaultStopWords, type OptOutWords } from "../core/opt-out-words.ts";
import type { Sql } from "./connect.ts";
import { columns, of, type RowOf } from "./table.ts";

const accountColumns = columns({
  id: of<string>(),
  name: of<string>(),
  timezone: of<string>(),
  /** Encrypted. The platform echoes it in the callback's handshake. */
  verify_token: of<string>(),
  /** How many days event payloads and the message log are kept. */
  payload_days: of<number>(),
  log_days: of<number>(),
  /** People without a second factor may only set one up. */
  require_second_factor: of<boolean>(),
  /** Only sessions that the OpenID issuer opened count. */
  require_sso: of<boolean>(),
  /** Networks from which sessions, and access tokens, are let in; empty: from everywhere. */
  dashboard_addresses: of<string[]>({ read: "to_json(dashboard_addresses)" }),
  token_addresses: of<string[]>({ read: "to_json(token_addresses)" }),
  /** Customers' data is encrypted at rest. */
  encrypt_payloads: of<boolean>(),
  /** The pace of the platform's number; null: none. */
  messages_per_second: of<number | null>(),
  /** How long queued messages are tried again. */
  retry_hours: of<number>(),
  /** The words by which people stop and resume messages; null for the defaults. */
  stop_words: of<string[] | null>({ read: "to_json(stop_words)" }),
  start_words: of<string[] | null>({ read: "to_json(start_words)" }),
  opt_out_scope: of<OptOutScope>(),
});

/** The account's words, with the defaults where it has none of its own. */
export const optOutWordsOf = (row: Pick<AccountRow, "stop_words" | "start_words" | "opt_out_scope">): OptOutWords => ({
  stopWords: row.stop_words ?? defaultStopWords,
  startWords: row.start_words ?? defaultStartWords,
  scope: row.opt_out_scope,
});

type AccountRow = RowOf<typeof accountColumns>;

export const insertAccount = (sql: Sql, account: Pick<AccountRow, "id" | "name" | "verify_token">) =>
  sql`insert into account ${sql(account)}`;

export async function findAccount(sql: Sql, id: string): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`select ${accountColumns.read(sql)} from account where id = ${id}`;
  return row;
}

export const renameAccount = (sql: Sql, id: string, name: string) => sql`update account set name = ${name} where id = ${id}`;

export const setTimezone = (sql: Sql, id: string, timezone: string) => sql`update account set timezone = ${timezone} where id = ${id}`;

export const setRequireSecondFactor = (sql: Sql, id: string, isRequired: boolean) =>
  sql`update account set require_second_factor = ${isRequired} where id = ${id}`;

export const setRequireSso = (sql: Sql, id: string, isRequired: boolean) =>
  sql`update account set require_sso = ${isRequired} where id = ${id}`;

/** Members that are left out keep their values. */
export const setAllowedAddresses = (
  sql: Sql,
  id: string,
  { dashboard, tokens }: { dashboard?: readonly string[] | undefined; tokens?: readonly string[] | undefined },
) => sql`
  update account set dashboard_addresses = coalesce(${dashboard ?? null}::text[], dashboard_addresses),
    token_addresses = coalesce(${tokens ?? null}::text[], token_addresses)
  where id = ${id}`;

/** Members that are left out keep their values; null stands for the defaults. */
export async function setOptOutWords(sql: Sql, id: string, change: OptOutWordsChange): Promise<void> {
  const { stopWords, startWords, scope } = change;
  await sql`
    update account set stop_words = ${stopWords === undefined ? sql`stop_words` : sql`${stopWords}::text[]`},
      start_words = ${startWords === undefined ? sql`start_words` : sql`${startWords}::text[]`}, opt_out_scope = coalesce(${scope ?? null}, opt_out_scope)
    where id = ${id}`;
}

export interface OptOutWordsChange {
  stopWords?: string[] | null | undefined;
  startWords?: string[] | null | undefined;
  scope?: OptOutScope | undefined;
}

/** Members that are left out keep their values. */
export async function setRetention(
  sql: Sql,
  id: string,
  { payloadDays, logDays }: { payloadDays?: number | undefined; logDays?: number | undefined },
): Promise<void> {
  await sql`
    update account set payload_days = coalesce(${payloadDays ?? null}, payload_days), log_days = coalesce(${logDays ?? null}, log_days)
    where id = ${id}`;
}

/** Members that are left out keep their values. */
export const setPace = (
  sql: Sql,
  id: string,
  { messagesPerSecond, retryHours }: { messagesPerSecond?: number | null | undefined; retryHours?: number | undefined },
) => sql`
  update account set retry_hours = coalesce(${retryHours ?? null}, retry_hours),
    messages_per_second = ${messagesPerSecond === undefined ? sql`messages_per_second` : sql`${messagesPerSecond}::integer`}
  where id = ${id}`;

/** What an account's rows are encrypted with. */
export interface DataKeyRow {
  account_id: string;
  /** Whether new values are. */
  encrypt_payloads: boolean;
  /** Encrypted; null when nothing ever was. */
  data_key: string | null;
}

export async function findDataKey(sql: Sql, accountId: string): Promise<DataKeyRow | undefined> {
  const [row] = await sql<DataKeyRow[]>`select id as account_id, encrypt_payloads, data_key from account where id = ${accountId}`;
  return row;
}

/** The data keys of the accounts that these sites belong to. */
export const listDataKeysOfSites = (sql: Sql, siteIds: readonly string[]) =>
  sql<(DataKeyRow & { site_id: string })[]>`
    select s.id as site_id, a.id as account_id, a.encrypt_payloads, a.data_key from site s join account a on a.id = s.account_id
    where s.id = any(${[...siteIds]}::uuid[])`;

/** Switches the encryption of new values; `newKey` becomes the account's key unless it has one. */
export const setEncryptPayloads = (sql: Sql, id: string, isOn: boolean, newKey: string | null) =>
  sql`update account set encrypt_payloads = ${isOn}, data_key = coalesce(data_key, ${newKey}) where id = ${id}`;
