import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";

/** An access token without its hash. */
export interface AccessTokenRow {
  id: string;
  account_id: string;
  created_by: string;
  name: string;
  role: Role;
  hint: string;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

export const accessTokenColumns = (sql: Sql) => sql`id, account_id, created_by, name, role, hint, expires_at, last_used_at, created_at`;
