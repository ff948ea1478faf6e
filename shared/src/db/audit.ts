import type { Sql } from "./connect.ts";
import type { LogPage } from "./paging.ts";

/** Who did what. The id carries the time. */
export interface AuditRow {
  id: string;
  /** An e-mail address as it was then, or the name of a command. */
  actor: string;
  /** The user; null for a command. */
  actor_id: string | null;
  /** The access token that they came with. */
  token_id: string | null;
  /** The procedure, such as `sites.create`, or the command. */
  action: string;
  /** The id of what was changed. */
  subject: string | null;
  address: string | null;
}

const auditColumns = (sql: Sql) => sql`id, actor, actor_id, token_id, action, subject, address`;

export type NewAuditEntry = AuditRow & { account_id: string };

export const insertAuditEntry = (sql: Sql, entry: NewAuditEntry) =>
  sql`insert into audit_entry ${sql(entry, "id", "account_id", "actor", "actor_id", "token_id", "action", "subject", "address")}`;

export interface AuditFilter {
  /** In whatever case it is written. */
  actor?: string | undefined;
  action?: string | undefined;
}

/** A page of what was done in the account, newest first. */
export const listAuditEntries = (sql: Sql, accountId: string, { actor, action }: AuditFilter, page: LogPage) =>
  sql<AuditRow[]>`
    select ${auditColumns(sql)} from audit_entry
    where account_id = ${accountId}
      ${actor === undefined ? sql`` : sql`and lower(actor) = lower(${actor})`}
      ${action === undefined ? sql`` : sql`and action = ${action}`}
      ${page.from === null ? sql`` : sql`and id >= ${page.from}`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
