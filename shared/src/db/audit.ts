import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isUuid, uuidFloor, uuidTime } from "../core/uuid.ts";
import { retry } from "../server/retry.ts";
import { AccountArrives } from "./account.ts";
import {
  type LogPage,
  type RowOf,
  type Sql,
  asJson,
  columns,
  hasRows,
  of,
  one,
  findWalkEnd,
  scalars,
  withinPage,
  isDatabaseAway,
} from "./statement.ts";
import { isAbout } from "./subject-names.ts";

const auditColumns = columns(
  {
    /** The id, which carries the time. */
    id: of<string>(),
    /** The user's e-mail address at that time, or the name of a command. */
    actor: of<string>(),
    /** The user; null for a command. */
    actor_id: of<string | null>(),
    /** The access token that was used. */
    token_id: of<string | null>(),
    /** The procedure, such as `sites.create`, or the command. */
    action: of<string>(),
    /** The id of the row that was changed. */
    subject: of<string | null>(),
    address: of<string | null>(),
    /** Null in entries from before values were kept. */
    changes: of<StoredChange[] | null>(),
  },
  "e",
);

/** A value in an entry; absent where there was none before, or is none after. */
export type Values = Partial<Record<"before" | "after", AuditValue>>;
export type AuditValue = string | number | boolean | null;

/** A change of one member of the subject. `secret`: the entry tells only that it changed. `personal`: erasing a person empties it. */
export type AuditChange = { member: string; secret: true } | ({ member: string; personal?: boolean } & Values);

export type StoredChange = { member: string; secret?: true; personal?: true } & Values;

/** An entry: the actor and the action. */
export type AuditRow = RowOf<typeof auditColumns> & {
  /** The values of personal members; null if there are none, or none any more. */
  content: Record<string, Values> | null;
  emptied_at: Date | null;
};

export type NewAuditEntry = Omit<AuditRow, "changes" | "content" | "emptied_at"> & { account_id: string; changes?: readonly AuditChange[] };

/** Adds an entry to the end of its account's chain, which a trigger does, and names the transaction's actor to the versions. The account stays locked until the transaction's end. */
export async function insertAuditEntry(sql: Sql, { changes = [], ...entry }: NewAuditEntry): Promise<void> {
  // A subject that is no UUID is the platform's id, which may hold a phone.
  const isPersonal = entry.subject !== null && !isUuid(entry.subject);
  const personal = changes.filter((change) => "personal" in change && change.personal === true) as ({ member: string } & Values)[];
  const content = Object.fromEntries([
    ...personal.map(({ member, before, after }) => [member, { before, after }]),
    ...(isPersonal ? [[subjectMember, { after: entry.subject }]] : []),
  ]) as Record<string, Values>;
  const stored = changes.map((change) => ("personal" in change && change.personal ? { member: change.member, personal: true } : change));
  const values = Object.keys(content).length === 0 ? null : seal(JSON.stringify(content));
  const { id, account_id, actor, actor_id, token_id, action, address } = entry;
  const isMade = await hasRows(sql`
    with open as (select ${account_id}::uuid as id where not exists (select from account_move where account_id = ${account_id} and state = 'arriving')),
    told as (
      insert into audit_value (entry_id, account_id, salt, content)
      select ${id}::uuid, open.id, ${values?.salt ?? null}::bytea, ${values?.text ?? null}::text::json from open where ${values !== null})
    insert into audit_entry (id, account_id, actor, actor_id, token_id, action, subject, address, changes, values_digest)
    select ${id}::uuid, open.id, set_config('tidings.actor', ${actor}, true), ${actor_id}::uuid, ${token_id}::uuid, ${action}, ${isPersonal ? null : entry.subject}::text,
      ${address}::text, ${asJson(sql, stored)}, ${values?.digest ?? null}::bytea from open returning id`);
  if (!isMade) throw new AccountArrives();
}

/** The name of a subject among the personal values. */
const subjectMember = "subject";

/** The subject that an entry names; `erased` if it was deleted with the person whom it named. */
export function subjectOfEntry({ subject, content, emptied_at, action }: AuditRow): string | null {
  const kept = content?.[subjectMember]?.after;
  if (subject !== null || kept !== undefined) return subject ?? String(kept);
  return emptied_at !== null && action === "sandbox.markRead" ? "erased" : null;
}

/** Seals a personal value. The chain keeps only the digest, which tells nothing once text and salt are gone. */
function seal(text: string): { text: string; salt: Buffer; digest: Buffer } {
  const salt = randomBytes(16);
  return { text, salt, digest: digestOfValues(salt, text) };
}

const digestOfValues = (salt: Buffer, text: string): Buffer => createHash("sha256").update(salt).update(text).digest();

export interface AuditFilter {
  /** The actor, in any case. */
  actor?: string | undefined;
  action?: string | undefined;
  /** A part of the name of the subject or its site, or of the actor. */
  search?: string | undefined;
}

/** The id at which a page of a search ends, as no index serves it; null for other filters. */
export const findAuditWalkEnd = async (sql: Sql, accountId: string, { search }: AuditFilter, page: LogPage) =>
  search === undefined
    ? null
    : await findWalkEnd(sql, sql`select ${accountId}::uuid as owner`, sql`audit_entry where account_id = own.owner`, page);

/** A page of the account's entries, newest first. */
export const listAuditEntries = (sql: Sql, accountId: string, { actor, action, search }: AuditFilter, page: LogPage) =>
  sql<AuditRow[]>`
    select ${auditColumns.read(sql)}, v.content, v.emptied_at from audit_entry e left join audit_value v on v.entry_id = e.id and e.values_digest is not null
    where e.account_id = ${accountId}
      ${actor === undefined ? sql`` : sql`and lower(e.actor) = lower(${actor})`}
      ${action === undefined ? sql`` : sql`and e.action = ${action}`}
      ${search === undefined ? sql`` : isAbout(sql, accountId, search)}
      ${withinPage(sql, page, "e.id")}
    order by e.id desc limit ${page.limit}`;

/** How far the clocks of the database, which dates versions, and of a server, which dates entries, may be apart; and how long a change may take. */
const [clocksApartMs, longestMs] = [1_000, 30_000];

/** How long ago a value may have been read that somebody else has changed since. */
const readWithinMs = 86_400_000;

/**
 * Who made the version of a time: the actor of the nearest entry about the object or, where it has no id, about the account in the same part of the API. Without
 * a time: the actor of the last such action on the object within a day.
 */
export async function findChanger(
  sql: Sql,
  accountId: string,
  { action, subject, at }: { action: string; subject: string | null; at: Date | null },
): Promise<string | null> {
  if (at === null) return (await findLastAct(sql, accountId, subject, `^${action.replace(".", "\\.")}$`))?.actor ?? null;
  const ofAccount = sql`(subject is null or subject = ${accountId}) and action like ${action.replace(/\..*/, ".%")}`;
  const entries = await sql<{ id: string; actor: string }[]>`
    select id, actor from audit_entry where account_id = ${accountId}
      and id >= ${uuidFloor(at.getTime() - clocksApartMs)} and id < ${uuidFloor(at.getTime() + longestMs)}
      and ${subject === null ? ofAccount : sql`subject = ${subject}`}
    order by id limit 1000`;
  const distance = ({ id }: { id: string }): number => Math.abs(uuidTime(id) - at.getTime());
  return entries.toSorted((one, other) => distance(one) - distance(other))[0]?.actor ?? null;
}

/** The newest entry of such actions, which a regular expression names, on an object within a day. */
export const findLastAct = (sql: Sql, accountId: string, subject: string | null, actions: string) =>
  one(sql<{ id: string; actor: string }[]>`
    select id, actor from audit_entry where account_id = ${accountId} and subject = ${subject} and action ~ ${actions}
      and id >= ${uuidFloor(Date.now() - readWithinMs)} order by id desc limit 1`);

/** An entry and its place in its account's chain. */
export type ChainedRow = AuditRow & { account_id: string; /** The place in the chain, from 1. */ seq: number; hash: Buffer };

/** The account's entries after the number `after`, in the order of the chain. That is also the order of their commits: none appears later between two. */
export const listChainedEntries = (sql: Sql, accountId: string, { after, limit }: { after: number; limit: number }) =>
  sql<ChainedRow[]>`
    select ${auditColumns.read(sql)}, e.account_id, e.seq::float8 as seq, e.hash, v.content, v.emptied_at
    from audit_entry e left join audit_value v on v.entry_id = e.id and e.values_digest is not null
    where e.account_id = ${accountId} and e.seq > ${after} order by e.seq limit ${limit}`;

/** The number of each account's last entry; with `accountId` only that of this account. */
const listAuditHeads = (sql: Sql, accountId: string | null) =>
  sql<{ account_id: string; seq: number }[]>`
    select account_id, seq::float8 as seq from audit_head ${accountId === null ? sql`` : sql`where account_id = ${accountId}`} order by account_id`;

/** Limits by which a server that stalls with an account's lock lets go of it. */
const accountLimits = { lock_timeout: "5s", idle_in_transaction_session_timeout: "20s" };

/**
 * Locks the account until the transaction's end, so that values read from now on are those that the audited change replaces. Fails with an error that
 * `isLockTimeout` recognizes if another transaction keeps the lock for 5 s; this one ends when its program is silent for 20 s. `actor`: who makes the versions
 * that the transaction writes.
 */
export async function lockForAudit(sql: Sql, accountId: string, actor = ""): Promise<void> {
  const settings = { ...accountLimits, "tidings.actor": actor };
  await Promise.all([
    sql`select set_config(key, value, true) from json_each_text(${JSON.stringify(settings)}::text::json)`,
    sql`select from account where id = ${accountId} for no key update`,
  ]);
}

/** A user, and how often and when last something happened to them. */
export interface UserConcernRow {
  user_id: string;
  email: string;
  count: number;
  /** The id of the last entry, which carries its time. */
  last_id: string;
}

/** The account's other users whose passwords, or second factors, were reset since the id `from`. */
export const listResets = (
  sql: Sql,
  accountId: string,
  action: "auth.resetPassword" | "users.resetSecondFactor",
  { userId, from }: { userId: string; from: string },
) => sql<UserConcernRow[]>`${concerns(sql, accountId, action, from)} having u.id <> ${userId} order by last_id desc limit 20`;

/** The account's users for whom at least `least` sign-ins failed since the id `from`. */
export const listGuessedUsers = (sql: Sql, accountId: string, from: string, least: number) =>
  sql<UserConcernRow[]>`${concerns(sql, accountId, failedSignIn, from)} having count(*) >= ${least} order by last_id desc limit 20`;

/** The action of an entry about a sign-in with a wrong password; its subject is the user, and nobody is known to have done it. */
export const failedSignIn = "auth.failedLogin";

const concerns = (sql: Sql, accountId: string, action: string, from: string) => sql`
  select u.id as user_id, u.email, count(*)::integer as count, max(e.id::text) as last_id
  from audit_entry e join membership m on m.account_id = e.account_id and m.user_id::text = e.subject join app_user u on u.id = m.user_id
  where e.account_id = ${accountId} and e.action = ${action} and e.id >= ${from}
  group by u.id, u.email`;

interface FollowOptions {
  /** The account; null: all accounts, also those that are opened meanwhile. */
  accountId: string | null;
  /** The number of the last known entry by account; it moves on once later entries were taken. */
  cursors: Map<string, number>;
  /** False if it ends when there are no more entries. */
  goesOn: boolean;
  /** The signal that ends it. */
  ended: AbortSignal;
  /** Called when the database is away. If it goes on, it waits some minutes for the database. */
  onAway?: ((error: unknown) => void) | undefined;
}

/** Bounds the memory. */
const entriesAtOnce = 100;
const pollMs = 500;
/** Attempts for five minutes; a database that has moved elsewhere by then is found by a new start. */
const mostAttempts = 600;

/**
 * Each account's entries in the order of its chain, a few at a time, without a gap: `missing` is the number of the first entry that is missing before
 * them, which only the database's owner can cause. Throws a RangeError when a cursor lies beyond its chain.
 */
export async function* followAudit(sql: Sql, { accountId, cursors, goesOn, ended, onAway }: FollowOptions) {
  const again = (error: unknown, attempt: number): boolean => {
    if (!goesOn || ended.aborted || attempt > mostAttempts || !isDatabaseAway(error)) return false;
    if (attempt === 1) onAway?.(error);
    return true;
  };
  const patiently = async <T>(read: () => PromiseLike<T>): Promise<T> => retry(async () => read(), { again, pauseMs: () => pollMs });
  for (let isBusy = true; isBusy || goesOn;) {
    isBusy = false;
    for (const { account_id: account, seq: last } of await patiently(() => listAuditHeads(sql, accountId))) {
      const after = cursors.get(account) ?? 0;
      if (after > last) throw new RangeError(`account ${account} has ${last} entries, and ${after} were to be there`);
      if (after === last) continue;
      const entries = await patiently(() => listChainedEntries(sql, account, { after, limit: entriesAtOnce }));
      const at = entries.findIndex(({ seq }, index) => seq !== after + 1 + index);
      const isWhole = at === -1 && entries.length > 0;
      yield { entries, missing: isWhole ? null : after + 1 + Math.max(at, 0) };
      if (ended.aborted) return;
      cursors.set(account, entries.at(-1)?.seq ?? last);
      isBusy = true;
    }
    if (!isBusy && goesOn) await sleep(pollMs, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) return;
  }
}

/** How far an account's chain was followed, and the first fault in it. */
export interface ChainReport {
  accountId: string;
  entries: number;
  /** The hash of the last entry, in hex; empty when there is none. */
  head: string;
  broken: BrokenEntry | null;
  /** Hashes that were expected and not found. */
  missing: string[];
}

export interface BrokenEntry {
  seq: number;
  id: string | null;
  reason: string;
}

/** The accounts that have, or should have, a chain; a page of 500 after `after`. */
export const listChains = (sql: Sql, after: string) =>
  scalars(sql<{ id: string }[]>`
    select id from account where id > ${after} and (exists (select from audit_entry where account_id = account.id)
      or exists (select from audit_head where account_id = account.id)) order by id limit 500`);

/**
 * Follows an account's chain from its first entry, a page at a time, and stops at the first entry that is not as it was written. `kept` are hashes in hex
 * that were its head before: they are in the chain if nothing was removed from its end since.
 */
export async function followChain(
  sql: Sql,
  accountId: string,
  kept: readonly string[] = [],
  onPage: (entries: number) => void = () => undefined,
): Promise<ChainReport> {
  const missing = new Set(kept);
  // The head is read first: later entries lie beyond it.
  const [last] = await sql<{ seq: string; hash: Buffer }[]>`select seq, hash from audit_head where account_id = ${accountId}`;
  let [seq, previous]: [number, Buffer] = [0, Buffer.alloc(0)];
  const report = (broken: BrokenEntry | null): ChainReport => ({
    accountId,
    entries: seq,
    head: previous.toString("hex"),
    broken,
    missing: broken === null ? [...missing] : [],
  });
  for (let rows = await readLinks(sql, accountId, 0); rows.length > 0; rows = await readLinks(sql, accountId, seq)) {
    for (const row of rows) {
      const reason = faultOf(row, seq + 1, previous);
      if (reason !== null) return report({ seq: seq + 1, id: row.seq === seq + 1 ? row.id : null, reason });
      seq = row.seq;
      previous = row.hash;
      missing.delete(previous.toString("hex"));
      if (seq === Number(last?.seq ?? 0) && last !== undefined && !last.hash.equals(previous))
        return report({ seq, id: row.id, reason: "it is not the entry that was noted as the chain's last" });
    }
    onPage(seq);
  }
  if (seq < Number(last?.seq ?? 0)) return report({ seq: seq + 1, id: null, reason: `it is missing, and so are all up to ${last?.seq}` });
  return report(null);
}

/** Bounds the memory: an entry has some 10 KB at most. */
const linksAtOnce = 500;

interface LinkRow {
  id: string;
  previous: Buffer;
  hash: Buffer;
  values_digest: Buffer | null;
  has_values: boolean;
  salt: Buffer | null;
  content: string | null;
}

interface Link extends LinkRow {
  seq: number;
  /** The values that the hash covers, in order. */
  covered: (string | null)[];
}

async function readLinks(sql: Sql, accountId: string, after: number): Promise<Link[]> {
  const rows = await sql<(LinkRow & Record<Exclude<(typeof coveredColumns)[number], keyof LinkRow>, string | null>)[]>`
    select e.seq, e.id, e.previous, e.hash, e.values_digest, e.account_id, floor(extract(epoch from e.created_at) * 1000000)::bigint as at,
      e.actor, e.actor_id, e.token_id, e.action, e.subject, e.address, e.changes::text as changes,
      v.entry_id is not null as has_values, v.salt, v.content::text as content
    from audit_entry e left join audit_value v on v.entry_id = e.id
    where e.account_id = ${accountId} and e.seq > ${after} order by e.seq limit ${linksAtOnce}`;
  return rows.map((row) => ({
    ...row,
    seq: Number(row.seq),
    covered: coveredColumns.map((name) => {
      const value = row[name];
      return Buffer.isBuffer(value) ? value.toString("hex") : value;
    }),
  }));
}

/** The columns in the order of the database's function `audit_hash`. */
const coveredColumns = [
  "account_id",
  "seq",
  "previous",
  "id",
  "at",
  "actor",
  "actor_id",
  "token_id",
  "action",
  "subject",
  "address",
  "changes",
  "values_digest",
] as const;

/** The hash of an entry: SHA-256 over each value with its length in bytes, and `-` for null. */
function hashOf(covered: readonly (string | null)[]): Buffer {
  const text = covered.map((value) => `${value === null ? "-" : `${Buffer.byteLength(value)}:${value}`}\n`).join("");
  return createHash("sha256").update(`tidings audit 1\n${text}`).digest();
}

function faultOf(link: Link, seq: number, previous: Buffer): string | null {
  if (link.seq !== seq) return `it is missing: the next entry that there is has the number ${link.seq}`;
  if (!link.previous.equals(previous)) return "it does not follow the entry before it";
  if (!link.hash.equals(hashOf(link.covered))) return "its content is not what its hash was made of";
  if (link.values_digest === null) return link.has_values ? "personal values were added to it" : null;
  if (!link.has_values) return "its personal values were deleted, which is not how erasing empties them";
  if (link.salt === null || link.content === null) return null;
  return digestOfValues(link.salt, link.content).equals(link.values_digest) ? null : "its personal values were changed";
}
