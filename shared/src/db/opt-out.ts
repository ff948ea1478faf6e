import { type OptOutScope, type OptOutSource } from "../core/message.ts";
import { optOutKey, userKey } from "../core/person-key.ts";
import { newId } from "./ids.ts";
import { type IdPage, type RowOf, type Sql, changedRows, columns, newestFirst, of, one, inTransaction } from "./statement.ts";

const optOutColumns = columns({
  id: of<string>(),
  /** E.164, encrypted; null once erased. */
  phone: of<string | null>(),
  /** The platform's id for a person whose phone it hides, encrypted; null otherwise, and once erased. */
  user_id: of<string | null>(),
  scope: of<OptOutScope>(),
  source: of<OptOutSource>(),
  /** The platform's error code, if an error reported the opt-out. */
  code: of<string | null>(),
  since: of<Date>(),
});

/** A person who opted out of the account's messages. */
export type OptOutRow = RowOf<typeof optOutColumns>;

/** Whom a statement is about: by the phone (E.164), else by the platform's id, or by the digest alone where the log no longer has the phone. */
export interface Person {
  phone: string | null;
  userId?: string | null;
  hash?: string;
}

/** The digest by which a person is recognized. */
export function personHash(vault: Fingerprints, accountId: string, { phone, userId, hash }: Person): string {
  if (hash !== undefined) return hash;
  return vault.fingerprint(phone === null ? userKey(accountId, userId ?? "") : optOutKey(accountId, phone));
}

/** A statement of a person, or of the platform for them, about the account's messages. */
export interface OptOutChange extends Person {
  scope: OptOutScope;
  source: OptOutSource;
  code: string | null;
  /** False: the person wants messages again. */
  active: boolean;
  /** The time by the platform's clock. */
  at: Date;
}

/**
 * Records opt-outs and their ends, in one statement; answers how many entries changed, and the changes by which somebody is no longer reached, or again.
 * For each person and scope the newest change counts, whatever the order of arrival; of two changes of the same moment, the one that arrives last.
 */
export async function recordOptOuts(sql: Sql, vault: PhoneVault, accountId: string, changes: readonly OptOutChange[]) {
  if (changes.length === 0) return { entries: 0, turns: [] };
  return await inTransaction(sql, async (transaction) => {
    const seal = await vault.sealer(transaction);
    const newest = newestOfEach(vault, accountId, changes);
    const rows = newest.map((row) => ({ ...row, ...sealedPerson(seal, accountId, row) }));
    const written = await upsertOptOuts(transaction, accountId, rows);
    const byKey = new Map(written.map((row) => [`${row.phone_hash} ${row.scope}`, row.id]));
    // A new entry has the id of its change; the entry of somebody who had opted out before keeps its own.
    const turns = newest.filter(({ phone_hash, scope, id, active }) => {
      const stored = byKey.get(`${phone_hash} ${scope}`);
      return stored !== undefined && (stored === id) === active;
    });
    return { entries: written.length, turns };
  });
}

type SealPerson = (text: string, at: ReturnType<typeof phonePlace> | ReturnType<typeof userPlace>) => string;

const sealedPerson = (seal: SealPerson, accountId: string, { id, active, phone, userId }: OptOutChange & { id: string }) => ({
  phone: active && phone !== null ? seal(phone, phonePlace(accountId, id)) : null,
  user_id: active && phone === null && userId != null ? seal(userId, userPlace(accountId, id)) : null,
});

const upsertOptOuts = (sql: Sql, accountId: string, rows: readonly object[]) =>
  sql<{ id: string; phone_hash: string; scope: OptOutScope }[]>`
    insert into opt_out as o (id, account_id, phone_hash, phone, user_id, scope, source, code, active, since, told_at)
    select w.id, ${accountId}, w.phone_hash, w.phone, w.user_id, w.scope, w.source, w.code, w.active, w.at, w.at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as w(id uuid, phone_hash text, phone text, user_id text,
      scope text, source text, code text, active boolean, at timestamptz)
    order by w.phone_hash, w.scope
    on conflict (account_id, phone_hash, scope) do update set
      active = excluded.active, told_at = excluded.told_at,
      -- A repeated opt-out leaves the entry as it is, also one whose phone was erased.
      id = case when o.active then o.id else excluded.id end,
      since = case when o.active then o.since else excluded.since end,
      source = case when o.active then o.source else excluded.source end,
      code = case when o.active then o.code else excluded.code end,
      phone = case when not excluded.active then null when o.active then o.phone else excluded.phone end,
      user_id = case when not excluded.active then null when o.active then o.user_id else excluded.user_id end
    where excluded.told_at > o.told_at or (excluded.told_at = o.told_at and excluded.active <> o.active)
    returning id, phone_hash, scope`;

/** The newest change of each person and scope, since a statement cannot change a row twice. */
function newestOfEach(vault: Fingerprints, accountId: string, changes: readonly OptOutChange[]) {
  const newest = new Map<string, OptOutChange & { id: string; phone_hash: string }>();
  for (const change of changes) {
    const phone_hash = personHash(vault, accountId, change);
    const known = newest.get(`${phone_hash} ${change.scope}`);
    if (known === undefined || known.at <= change.at) newest.set(`${phone_hash} ${change.scope}`, { ...change, id: newId(), phone_hash });
  }
  return [...newest.values()];
}

/** The parts of the vault that are needed here. */
interface Fingerprints {
  fingerprint(text: string): string;
}
interface PhoneVault extends Fingerprints {
  sealer(sql: Sql): Promise<SealPerson>;
}

/** The entries of these people, ended ones too. */
export const findOptOutsOf = (sql: Sql, accountId: string, hashes: readonly string[]) =>
  sql<Pick<StoredOptOut, "phone_hash" | "scope" | "source" | "code" | "active" | "told_at">[]>`
    select phone_hash, scope, source, code, active, told_at from opt_out where account_id = ${accountId} and phone_hash = any(${[...hashes]}::text[]) for update`;

type StoredOptOut = OptOutRow & { phone_hash: string; active: boolean; told_at: Date };

/** Deletes the entries of people that stand under other digests now. */
export const deleteOptOutsOf = (sql: Sql, accountId: string, hashes: readonly string[]) =>
  sql`delete from opt_out where account_id = ${accountId} and phone_hash = any(${[...hashes]}::text[])`;

/** The place at which an opt-out's user id is sealed. */
export const userPlace = (accountId: string, id: string) => ({ column: "opt_out.user_id", row: id, account: accountId }) as const;

/** The place at which an opt-out's phone is sealed. */
export const phonePlace = (accountId: string, id: string) => ({ column: "opt_out.phone", row: id, account: accountId }) as const;

/** The messages whose recipients have opted out of them. `marketing`: whether their template is marketing. */
export async function findOptedOut<Message extends { phone: string; marketing: boolean }>(
  sql: Sql,
  vault: Fingerprints,
  accountId: string,
  messages: readonly Message[],
): Promise<Set<Message>> {
  const asked = messages.map((message) => ({ message, hash: vault.fingerprint(optOutKey(accountId, message.phone)) }));
  const rows = await sql<{ phone_hash: string; scope: OptOutScope }[]>`
    select phone_hash, scope from opt_out
    where account_id = ${accountId} and phone_hash = any(${asked.map(({ hash }) => hash)}::text[]) and active`;
  const out = new Set(rows.map(({ phone_hash, scope }) => `${phone_hash} ${scope}`));
  const isOut = (hash: string, marketing: boolean) => out.has(`${hash} all`) || (marketing && out.has(`${hash} marketing`));
  return new Set(asked.flatMap(({ message, hash }) => (isOut(hash, message.marketing) ? message : [])));
}

/** `hashes`: only these people. */
export type OptOutFilter = { hashes?: readonly string[] | undefined } & { [Member in "scope" | "source"]?: OptOutRow[Member] | undefined };

/** A page of the people who opted out of the account's messages, the latest first. */
export const listOptOuts = (sql: Sql, accountId: string, { hashes, scope, source }: OptOutFilter, page: IdPage) =>
  sql<OptOutRow[]>`
    select ${optOutColumns.read(sql)} from opt_out
    where account_id = ${accountId} and active ${hashes === undefined ? sql`` : sql`and phone_hash = any(${[...hashes]}::text[])`}
      ${scope === undefined ? sql`` : sql`and scope = ${scope}`} ${source === undefined ? sql`` : sql`and source = ${source}`}
      ${newestFirst(sql, page)}`;

/** Ends an opt-out, until the person opts out again; answers the former entry, undefined if the account has none. */
export async function liftOptOut(sql: Sql, accountId: string, id: string): Promise<OptOutRow | undefined> {
  const row = await one(sql<OptOutRow[]>`
    select ${optOutColumns.read(sql)} from opt_out where id = ${id} and account_id = ${accountId} and active for update`);
  if (row === undefined) return undefined;
  await sql`
    -- In whole seconds, as the platform tells times: a later change in the same second counts.
    update opt_out set active = false, phone = null, user_id = null, told_at = greatest(told_at, date_trunc('second', now()))
    where id = ${id} and account_id = ${accountId} and active`;
  return row;
}

/** Removes ended opt-outs after 30 days: the platform repeats callbacks for a week, and an older one must not count again. */
export const forgetLiftedOptOuts = (sql: Sql) =>
  changedRows(sql`delete from opt_out where not active and told_at < now() - interval '30 days'`);
