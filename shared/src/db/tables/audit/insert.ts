import type { Sql } from "../../connect.ts";

export interface NewAuditEntry {
  id: string;
  accountId: string;
  /** An e-mail address, with the token's id when it came with one. */
  actor: string;
  /** The procedure, such as `sites.create`. */
  action: string;
  /** The id of what was changed. */
  subject: string | null;
  address: string;
}

export const insertAuditEntry = (sql: Sql, entry: NewAuditEntry) =>
  sql`insert into audit_entry (id, account_id, actor, action, subject, address)
    values (${entry.id}, ${entry.accountId}, ${entry.actor}, ${entry.action}, ${entry.subject}, ${entry.address})`;
