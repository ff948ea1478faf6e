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

export async function anyUserExists(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`select exists (select from app_user) as found`;
  return row.found;
}
