import { type Sql, scalar } from "./statement.ts";

/** The secrets that verify a callback. */
export interface CallbackAccountRow {
  id: string;
  /** Encrypted. */
  verify_token: string;
  /** Encrypted; null when none is stored. */
  app_secret: string | null;
  /** The platform's ids of the business account and its number; null when the account is not connected. */
  waba_id: string | null;
  phone_number_id: string | null;
  /** Whether a callback was recorded within the last minute. */
  noted: boolean;
  encrypt_payloads: boolean;
  /** Encrypted. */
  data_key: string | null;
  /** The cells that it was in before. */
  cells: string[];
  /** Whether the account's sites have endpoints that are told. */
  has_webhooks: boolean;
  /** The sandbox's ids and secret (encrypted) for what test sites send; null without any. */
  test: { waba_id: string; phone_number_id: string; app_secret: string } | null;
  /** The ids of test sites, also of deleted ones. */
  test_sites: string[];
}

/** The account that a callback names, or null. Read for every callback, so that a new secret is valid at once. */
export async function findCallbackAccount(sql: Sql, accountId: string): Promise<CallbackAccountRow | null> {
  const rows = await sql<CallbackAccountRow[]>`
    select a.id, a.verify_token, p.app_secret, p.waba_id, p.phone_number_id, a.encrypt_payloads, a.data_key, to_json(a.cells) as cells,
      coalesce(c.last_at > now() - interval '1 minute', false) as noted,
      exists (select from webhook w where w.account_id = a.id and w.enabled) as has_webhooks,
      (select row_to_json(t) from (select waba_id, phone_number_id, app_secret from test_connection where account_id = a.id) t) as test,
      case when exists (select from test_connection where account_id = a.id) then (select coalesce(json_agg(s.id), '[]') from site s where s.account_id = a.id and s.mode = 'test') else '[]' end as test_sites
    from account a
    left join platform_account p on p.account_id = a.id
    left join platform_callback c on c.account_id = a.id
    where a.id = ${accountId}`;
  return rows[0] ?? null;
}

/** Records that the account received a callback now. */
export const noteCallback = (sql: Sql, accountId: string) => sql`
  insert into platform_callback (account_id, last_at) values (${accountId}, now())
  on conflict (account_id) do update set last_at = excluded.last_at where platform_callback.last_at < excluded.last_at`;

/** When the account received its last callback; null before the first. */
export const findCallbackTime = async (sql: Sql, accountId: string) =>
  (await scalar(sql<{ last_at: Date }[]>`select last_at from platform_callback where account_id = ${accountId}`)) ?? null;
