import type { Sql } from "../../connect.ts";
import type { AuditRow } from "./row.ts";

export type NewAuditEntry = AuditRow & { account_id: string };

export const insertAuditEntry = (sql: Sql, entry: NewAuditEntry) =>
  sql`insert into audit_entry ${sql(entry, "id", "account_id", "actor", "actor_id", "token_id", "action", "subject", "address")}`;
