import type { Sql } from "../../connect.ts";
import type { LogPage } from "../log-page.ts";
import { auditColumns, type AuditRow } from "./row.ts";

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
