import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";
import { userColumns, type UserRow } from "./row.ts";

export async function setUserRole(sql: Sql, accountId: string, id: string, role: Role): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`
    update app_user set role = ${role} where id = ${id} and account_id = ${accountId} returning ${userColumns(sql)}`;
  return row;
}

/** Also ends a link by which another one could be set. */
export const setPasswordHash = (sql: Sql, id: string, passwordHash: string) =>
  sql`
    with ended as (delete from password_reset where user_id = ${id})
    update app_user set password_hash = ${passwordHash} where id = ${id}`;
