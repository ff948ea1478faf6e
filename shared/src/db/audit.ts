import type { Sql } from "./connect.ts";
import type { LogPage } from "./paging.ts";
import { columns, of, type RowOf } from "./table.ts";

const auditColumns = columns({
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
});

/** Who did what. */
export type AuditRow = RowOf<typeof auditColumns>;

export type NewAuditEntry = AuditRow & { account_id: string };

export const insertAuditEntry = (sql: Sql, entry: NewAuditEntry) =>
  sql`insert into audit_entry ${sql(entry, "account_id", ...auditColumns.names)}`;

export interface AuditFilter {
  /** In any case. */
  actor?: string | undefined;
  action?: string | undefined;
}

/** A page of the account's entries, newest first. */
export const listAuditEntries = (sql: Sql, accountId: string, { actor, action }: AuditFilter, page: LogPage) =>
  sql<AuditRow[]>`
    select ${auditColumns.read(sql)} from audit_entry
    where account_id = ${accountId}
      ${actor === undefined ? sql`` : sql`and lower(actor) = lower(${actor})`}
      ${action === undefined ? sql`` : sql`and action = ${action}`}
      ${page.from === null ? sql`` : sql`and id >= ${page.from}`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;

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
