import { type OptOutScope, type OptOutSource, optOutKey } from "../core/message.ts";
import type { Sql } from "./connect.ts";
import { newId } from "./ids.ts";

/** Somebody who does not want the account's messages. */
export interface OptOutRow {
  id: string;
  /** E.164; null once erased. */
  phone: string | null;
  scope: OptOutScope;
  source: OptOutSource;
  /** The platform's error, where that was the word. */
  code: string | null;
  since: Date;
}

/** Which of these messages of a site their recipients have opted out of, by what is known now. */
export async function findOptedOutMessages(
  sql: Sql,
  vault: Fingerprints,
  { accountId, siteId }: { accountId: string; siteId: string },
  messages: readonly { id: string; toPhone: string }[],
): Promise<Set<string>> {
  const asked = messages.map(({ id, toPhone }) => ({ id, phone_hash: vault.fingerprint(optOutKey(accountId, toPhone)) }));
  const rows = await sql<{ id: string }[]>`
    select i.id
    from json_to_recordset(${JSON.stringify(asked)}::text::json) as i(id uuid, phone_hash text)
    join opt_out o on o.account_id = ${accountId} and o.phone_hash = i.phone_hash and o.active
    join notification n on n.site_id = ${siteId} and n.id = i.id
    left join template t on t.id = n.template_id
    where o.scope = 'all' or upper(t.category) = 'MARKETING'`;
  return new Set(rows.map(({ id }) => id));
}

/** Which of these phones a message of the account would not go to, by what is known now. `marketing`: whether its template is. */
export async function findOptedOut(
  sql: Sql,
  vault: Fingerprints,
  { accountId, marketing }: { accountId: string; marketing: boolean },
  phones: readonly string[],
): Promise<Set<string>> {
  const asked = phones.map((phone) => ({ phone, phone_hash: vault.fingerprint(optOutKey(accountId, phone)) }));
  const rows = await sql<{ phone: string }[]>`
    select i.phone
    from json_to_recordset(${JSON.stringify(asked)}::text::json) as i(phone text, phone_hash text)
    join opt_out o on o.account_id = ${accountId} and o.phone_hash = i.phone_hash and o.active
    where o.scope = 'all' or ${marketing}`;
  return new Set(rows.map(({ phone }) => phone));
}

/** A word about a person's wish. */
export interface OptOutChange {
  /** E.164. */
  phone: string;
  scope: OptOutScope;
  source: OptOutSource;
  code: string | null;
  /** False: they want messages again. */
  active: boolean;
  /** By the platform's clock. */
  at: Date;
}

/** The vault, as far as it is needed here. */
interface Fingerprints {
  fingerprint(text: string): string;
}

/**
 * Records what people of the account said, in one statement: of each person and scope the newest word stands, whatever the order in which they arrive, and
 * of two of one moment the one that came last. Answers how many entries that changed.
 */
export async function recordOptOuts(sql: Sql, vault: Fingerprints, accountId: string, words: readonly OptOutChange[]): Promise<number> {
  if (words.length === 0) return 0;
  const result = await sql`
    insert into opt_out as o (id, account_id, phone_hash, phone, scope, source, code, active, since, told_at)
    select w.id, ${accountId}, w.phone_hash, case when w.active then w.phone end, w.scope, w.source, w.code, w.active, w.at, w.at
    from json_to_recordset(${JSON.stringify(newestOfEach(vault, accountId, words))}::text::json) as w(id uuid, phone_hash text, phone text,
      scope text, source text, code text, active boolean, at timestamptz)
    order by w.phone_hash, w.scope
    on conflict (account_id, phone_hash, scope) do update set
      active = excluded.active, told_at = excluded.told_at,
      -- A word that is said again leaves the entry as it is: also one whose phone was erased.
      id = case when o.active then o.id else excluded.id end,
      since = case when o.active then o.since else excluded.since end,
      source = case when o.active then o.source else excluded.source end,
      code = case when o.active then o.code else excluded.code end,
      phone = case when not excluded.active then null when o.active then o.phone else excluded.phone end
    where excluded.told_at > o.told_at or (excluded.told_at = o.told_at and excluded.active <> o.active)`;
  return result.count;
}

/** A statement cannot change a row twice. */
function newestOfEach(vault: Fingerprints, accountId: string, words: readonly OptOutChange[]) {
  const newest = new Map<string, OptOutChange & { id: string; phone_hash: string }>();
  for (const word of words) {
    const phone_hash = vault.fingerprint(optOutKey(accountId, word.phone));
    const known = newest.get(`${phone_hash} ${word.scope}`);
    if (known === undefined || known.at <= word.at) newest.set(`${phone_hash} ${word.scope}`, { ...word, id: newId(), phone_hash });
  }
  return [...newest.values()];
}

/** Removes entries that were lifted so long ago that no older word about them can come any longer: the platform repeats its callbacks for a week. */
export async function forgetLiftedOptOuts(sql: Sql): Promise<number> {
  const result = await sql`delete from opt_out where not active and told_at < now() - interval '30 days'`;
  return result.count;
}

/** Lets the person be written to again, until the next word to the contrary; false when the account has no such entry. */
export async function liftOptOut(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`
    -- To the second, as the platform tells times: of the same second the next word counts.
    update opt_out set active = false, phone = null, told_at = greatest(told_at, date_trunc('second', now()))
    where id = ${id} and account_id = ${accountId} and active
    returning id`;
  return rows.length > 0;
}

/** A page of the people who do not want the account's messages, those who said so last first. `phoneHash`: one person alone. */
export const listOptOuts = (sql: Sql, accountId: string, phoneHash: string | null, page: { before: string | null; limit: number }) =>
  sql<OptOutRow[]>`
    select id, phone, scope, source, code, since from opt_out
    where account_id = ${accountId} and active ${phoneHash === null ? sql`` : sql`and phone_hash = ${phoneHash}`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
