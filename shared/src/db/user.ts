import type { Role } from "../core/role.ts";
import type { Sql } from "./connect.ts";

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

/** Sessions, access tokens and invites of the user go with it. */
export async function deleteUser(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`delete from app_user where id = ${id} and account_id = ${accountId} returning id`;
  return rows.length > 0;
}

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

/** A page of the account's users, newest first. `before`: the id that the page starts after, null for the first. */
export const listUsers = (sql: Sql, accountId: string, page: { before: string | null; limit: number }) =>
  sql<UserRow[]>`
    select ${userColumns(sql)} from app_user
    where account_id = ${accountId} ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;

/** The ids of the account's owners, held until the transaction ends: of two owners who demote each other at once, the second sees one left. */
export async function lockOwners(sql: Sql, accountId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from app_user where account_id = ${accountId} and role = 'owner' order by id for update`;
  return rows.map((row) => row.id);
}

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
