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
