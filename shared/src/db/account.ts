import type { OptOutScope } from "../core/message.ts";
import { defaultStartWords, defaultStopWords, type OptOutWords } from "../core/opt-out-words.ts";
import { type RowOf, type Sql, columns, of, one, valuesOf } from "./statement.ts";

export const accountColumns = columns({
  id: of<string>(),
  name: of<string>({ audited: "personal" }),
  timezone: of<string>({ audited: "plain" }),
  /** Encrypted. The platform echoes it in the callback's handshake. */
  verify_token: of<string>(),
  /** How many days event payloads and the message log are kept. */
  ...of.each(of<number>({ audited: "plain" }), "payload_days", "log_days"),
  /** People without a second factor may only set one up. */
  require_second_factor: of<boolean>({ audited: "plain" }),
  /** Only sessions that the OpenID issuer opened count. */
  require_sso: of<boolean>({ audited: "plain" }),
  /** Networks from which sessions, and access tokens, are let in; empty: from everywhere. */
  dashboard_addresses: of<string[]>({ read: "to_json(dashboard_addresses)", audited: "plain" }),
  token_addresses: of<string[]>({ read: "to_json(token_addresses)", audited: "plain" }),
  /** Customers' data is encrypted at rest. */
  encrypt_payloads: of<boolean>({ audited: "plain" }),
  /** The pace of the platform's number; null: none. */
  messages_per_second: of<number | null>({ audited: "plain" }),
  /** How long queued messages are tried again. */
  retry_hours: of<number>({ audited: "plain" }),
  /** The words by which people stop and resume messages; null for the defaults. */
  stop_words: of<string[] | null>({ read: "to_json(stop_words)", audited: "personal" }),
  start_words: of<string[] | null>({ read: "to_json(start_words)", audited: "personal" }),
  opt_out_scope: of<OptOutScope>({ audited: "plain" }),
  /** The last change of the settings, the platform's credentials included. */
  updated_at: of<Date>(),
});

/** The account's words, with the defaults where it has none of its own. */
export const optOutWordsOf = (row: Pick<AccountRow, "stop_words" | "start_words" | "opt_out_scope">): OptOutWords => ({
  stopWords: row.stop_words ?? defaultStopWords,
  startWords: row.start_words ?? defaultStartWords,
  scope: row.opt_out_scope,
});

/** A change in which lists that are the defaults stand for them: an account that has no words of its own follows the defaults of later versions. */
export function orDefaultWords(change: AccountChange): AccountChange {
  const { stop_words: stops, start_words: starts } = change;
  return {
    ...change,
    ...(stops && areSame(stops, defaultStopWords) && { stop_words: null }),
    ...(starts && areSame(starts, defaultStartWords) && { start_words: null }),
  };
}

const areSame = (words: readonly string[], defaults: readonly string[]): boolean => JSON.stringify(words) === JSON.stringify(defaults);

export type AccountRow = RowOf<typeof accountColumns>;

/** `opened_from`: a keyed digest of the network from which a free account was opened. */
export const insertAccount = (sql: Sql, account: Pick<AccountRow, "id" | "name" | "verify_token"> & { opened_from?: string | null }) =>
  sql`insert into account ${sql(account)}`;

export const findAccount = (sql: Sql, id: string) =>
  one(sql<AccountRow[]>`select ${accountColumns.read(sql)} from account where id = ${id}`);

/** Encryption is switched with its key, see `setEncryptPayloads`. */
export type AccountChange = Partial<Omit<AccountRow, "id" | "verify_token" | "encrypt_payloads" | "updated_at">>;

/** Columns that are left out keep their values. */
export async function updateAccount(sql: Sql, id: string, change: AccountChange): Promise<void> {
  if (Object.keys(change).length > 0) await sql`update account set ${valuesOf(sql, change)} where id = ${id}`;
}

/**
 * The mark before the data key of an account that leaves for another installation, or arrives from one: a key in such a form opens nothing, so that
 * programs of earlier versions refuse its events for now and send none of its messages, as they do while a secret cannot be read.
 */
export const movingMark = "moving.";
export const isMoving = (dataKey: string | null): boolean => dataKey?.startsWith(movingMark) ?? false;
/** SQL: the same of the account `a`. */
export const movingAccount = `coalesce(starts_with(a.data_key, '${movingMark}'), false)`;
/** Refuses a change of an account that arrives from another installation, whose own audit the copy brings. */
export class AccountArrives extends Error {
  override readonly name = "AccountArrives";
  constructor() {
    super("the account arrives from another installation: try again once its move has ended");
  }
}

/** The stored data key without the mark. */
export const withoutMark = (dataKey: string | null): string | null =>
  dataKey?.startsWith(movingMark) ? dataKey.slice(movingMark.length) || null : dataKey;

/** What an account's rows are encrypted with. */
export interface DataKeyRow {
  account_id: string;
  /** Whether new values are encrypted. */
  encrypt_payloads: boolean;
  /** The encrypted key; null if nothing was ever encrypted. */
  data_key: string | null;
}

export const findDataKey = (sql: Sql, accountId: string) =>
  one(sql<DataKeyRow[]>`select id as account_id, encrypt_payloads, data_key from account where id = ${accountId}`);

/** The data keys of the accounts that these sites belong to. */
export const listDataKeysOfSites = (sql: Sql, siteIds: readonly string[]) =>
  sql<(DataKeyRow & { site_id: string })[]>`
    select s.id as site_id, a.id as account_id, a.encrypt_payloads, a.data_key from site s join account a on a.id = s.account_id
    where s.id = any(${[...siteIds]}::uuid[])`;

/** Switches the encryption of new values; `newKey` becomes the account's key unless it has one. */
export const setEncryptPayloads = (sql: Sql, id: string, isOn: boolean, newKey: string | null) =>
  sql`update account set encrypt_payloads = ${isOn}, data_key = coalesce(data_key, ${newKey}) where id = ${id}`;
