import type { Sql } from "../../connect.ts";

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

export const auditColumns = (sql: Sql) => sql`id, actor, actor_id, token_id, action, subject, address`;
