import { createHash, randomBytes } from "node:crypto";
import { isUuid } from "../core/uuid.ts";
import type { Sql } from "./connect.ts";
import type { LogPage } from "./paging.ts";
import { asJson, columns, of, type RowOf } from "./table.ts";

const auditColumns = columns(
  {
    /** Carries the time. */
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

/** A value as an entry tells it; absent where there was none before, or is none after. */
export interface Values {
  before?: AuditValue;
  after?: AuditValue;
}
export type AuditValue = string | number | boolean | null;

/** What an entry tells of one member of the subject. `secret`: that it changed, and no more. `personal`: erasing a person empties it. */
export type AuditChange = { member: string; secret: true } | ({ member: string; personal?: boolean } & Values);

export type StoredChange = { member: string; secret?: true; personal?: true } & Values;

/** Who did what. */
export type AuditRow = RowOf<typeof auditColumns> & {
  /** The values of personal members; null where there are none, or none any more. */
  content: Record<string, Values> | null;
  emptied_at: Date | null;
};

export type NewAuditEntry = Omit<AuditRow, "changes" | "content" | "emptied_at"> & { account_id: string; changes?: readonly AuditChange[] };

/** Adds an entry to the end of its account's chain, which a trigger does. The account stays locked until the transaction's end. */
export async function insertAuditEntry(sql: Sql, { changes = [], ...entry }: NewAuditEntry): Promise<void> {
  // An id that is no UUID is the platform's, and may hold a phone.
  const isPersonal = entry.subject !== null && !isUuid(entry.subject);
  const personal = changes.filter((change) => "personal" in change && change.personal === true) as ({ member: string } & Values)[];
  const content = Object.fromEntries([
    ...personal.map(({ member, before, after }) => [member, { before, after }]),
    ...(isPersonal ? [[subjectMember, { after: entry.subject }]] : []),
  ]) as Record<string, Values>;
  const stored = changes.map((change) =>
    "personal" in change && change.personal === true ? { member: change.member, personal: true } : change,
  );
  const values = Object.keys(content).length === 0 ? null : seal(JSON.stringify(content));
  const { id, account_id, actor, actor_id, token_id, action, address } = entry;
  await sql`
    with told as (
      insert into audit_value (entry_id, account_id, salt, content)
      select ${id}::uuid, ${account_id}::uuid, ${values?.salt ?? null}::bytea, ${values?.text ?? null}::text::json where ${values !== null})
    insert into audit_entry (id, account_id, actor, actor_id, token_id, action, subject, address, changes, values_digest)
    values (${id}, ${account_id}, ${actor}, ${actor_id}, ${token_id}, ${action}, ${isPersonal ? null : entry.subject}, ${address},
      ${asJson(sql, stored)}, ${values?.digest ?? null})`;
}

/** Where a subject stands among the personal values. */
const subjectMember = "subject";

/** The subject that an entry names; `erased` when it went with the person whom it named. */
export function subjectOfEntry({ subject, content, emptied_at, action }: AuditRow): string | null {
  const kept = content?.[subjectMember]?.after;
  if (subject !== null || kept !== undefined) return subject ?? String(kept);
  return emptied_at !== null && action === "sandbox.markRead" ? "erased" : null;
}

/** What the chain keeps of personal values: without the salt, which goes with them, it tells nothing. */
function seal(text: string): { text: string; salt: Buffer; digest: Buffer } {
  const salt = randomBytes(16);
  return { text, salt, digest: digestOfValues(salt, text) };
}

export const digestOfValues = (salt: Buffer, text: string): Buffer => createHash("sha256").update(salt).update(text).digest();

export interface AuditFilter {
  /** In any case. */
  actor?: string | undefined;
  action?: string | undefined;
}

/** A page of the account's entries, newest first. */
export const listAuditEntries = (sql: Sql, accountId: string, { actor, action }: AuditFilter, page: LogPage) =>
  sql<AuditRow[]>`
    select ${auditColumns.read(sql)}, v.content, v.emptied_at from audit_entry e left join audit_value v on v.entry_id = e.id and e.values_digest is not null
    where e.account_id = ${accountId}
      ${actor === undefined ? sql`` : sql`and lower(e.actor) = lower(${actor})`}
      ${action === undefined ? sql`` : sql`and e.action = ${action}`}
      ${page.from === null ? sql`` : sql`and e.id >= ${page.from}`}
      ${page.before === null ? sql`` : sql`and e.id < ${page.before}`}
    order by e.id desc limit ${page.limit}`;

/** An entry and its place in its account's chain. */
export type ChainedRow = AuditRow & { account_id: string; /** From 1. */ seq: number; hash: Buffer };

/** The account's entries after the number `after`, in the order of the chain. That is also the order of their commits: none appears later between two. */
export const listChainedEntries = (sql: Sql, accountId: string, { after, limit }: { after: number; limit: number }) =>
  sql<ChainedRow[]>`
    select ${auditColumns.read(sql)}, e.account_id, e.seq::float8 as seq, e.hash, v.content, v.emptied_at
    from audit_entry e left join audit_value v on v.entry_id = e.id and e.values_digest is not null
    where e.account_id = ${accountId} and e.seq > ${after} order by e.seq limit ${limit}`;

/** The number of each account's last entry; with `accountId` of that one alone. */
export const listAuditHeads = (sql: Sql, accountId: string | null) =>
  sql<{ account_id: string; seq: number }[]>`
    select account_id, seq::float8 as seq from audit_head ${accountId === null ? sql`` : sql`where account_id = ${accountId}`} order by account_id`;

/** A server that stalls with an account in its hands keeps it from all others no longer. */
const accountLimits = { lock_timeout: "5s", idle_in_transaction_session_timeout: "20s" };

/**
 * Locks the account until the transaction's end, so that values read from now on are those that the audited change meets. Fails as `isLockTimeout` knows when
 * another transaction keeps it for 5 s; this one ends when its program is silent for 20 s.
 */
export async function lockForAudit(sql: Sql, accountId: string): Promise<void> {
  await Promise.all([
    sql`select set_config(key, value, true) from json_each_text(${JSON.stringify(accountLimits)}::text::json)`,
    sql`select from account where id = ${accountId} for no key update`,
  ]);
}

/** A user, and how often and when last something happened to them. */
export interface UserConcernRow {
  user_id: string;
  email: string;
  count: number;
  /** Of the last entry; carries the time. */
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
