import type { Sql } from "../../connect.ts";
import { userColumns, type UserRow } from "./row.ts";

/** The user with that address, in whatever case it is written. */
export async function findUserByEmail(sql: Sql, email: string): Promise<(UserRow & { password_hash: string }) | undefined> {
  const [row] = await sql<(UserRow & { password_hash: string })[]>`
    select ${userColumns(sql)}, password_hash from app_user where lower(email) = lower(${email})`;
  return row;
}

export async function findPasswordHash(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql<{ password_hash: string }[]>`select password_hash from app_user where id = ${id}`;
  return row?.password_hash;
}

/** Whether that is the user's password still. Waits for a change of it that is under way. */
export async function isPasswordHash(sql: Sql, id: string, passwordHash: string): Promise<boolean> {
  const rows = await sql`select id from app_user where id = ${id} and password_hash = ${passwordHash} for share`;
  return rows.length > 0;
}

export async function findUser(sql: Sql, accountId: string, id: string): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`select ${userColumns(sql)} from app_user where id = ${id} and account_id = ${accountId}`;
  return row;
}

export async function anyUserExists(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`select exists (select from app_user) as found`;
  return row.found;
}
