import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";

/** A user without the password's hash. */
export interface UserRow {
  id: string;
  account_id: string;
  email: string;
  name: string;
  role: Role;
  created_at: Date;
}

export const userColumns = (sql: Sql) => sql`id, account_id, email, name, role, created_at`;
