import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";
import { userColumns, type UserRow } from "./row.ts";

export interface NewUser {
  id: string;
  accountId: string;
  email: string;
  name: string;
  role: Role;
  /** Argon2id. */
  passwordHash: string;
}

/** The new user, undefined when somebody has that address already, in whatever case it is written. */
export async function insertUser(sql: Sql, user: NewUser): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`
    insert into app_user (id, account_id, email, name, role, password_hash)
    values (${user.id}, ${user.accountId}, ${user.email}, ${user.name}, ${user.role}, ${user.passwordHash})
    on conflict (lower(email)) do nothing
    returning ${userColumns(sql)}`;
  return row;
}
