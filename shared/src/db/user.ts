import type { Role } from "../core/role.ts";
import type { Sql } from "./connect.ts";
import { columns, of, type RowOf } from "./table.ts";

export const userColumns = columns({
  id: of<string>(),
  account_id: of<string>(),
  email: of<string>(),
  name: of<string>(),
  role: of<Role>(),
  created_at: of<Date>(),
});

/** A user without the password's hash. */
export type UserRow = RowOf<typeof userColumns>;

export type NewUser = Omit<UserRow, "created_at"> & { /** Argon2id. */ password_hash: string };

/** The new user; undefined when the address is taken, in any case. */
export async function insertUser(sql: Sql, user: NewUser): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`
    insert into app_user ${sql(user)}
    on conflict (lower(email)) do nothing
    returning ${userColumns.read(sql)}`;
  return row;
}

export async function anyUserExists(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`select exists (select from app_user) as found`;
  return row.found;
}

export async function findUser(sql: Sql, accountId: string, id: string): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`select ${userColumns.read(sql)} from app_user where id = ${id} and account_id = ${accountId}`;
  return row;
}

export async function findUserById(sql: Sql, id: string): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`select ${userColumns.read(sql)} from app_user where id = ${id}`;
  return row;
}

/** The user with that address, in any case. */
export async function findUserByEmail(sql: Sql, email: string): Promise<(UserRow & { password_hash: string }) | undefined> {
  const [row] = await sql<(UserRow & { password_hash: string })[]>`
    select ${userColumns.read(sql)}, password_hash from app_user where lower(email) = lower(${email})`;
  return row;
}

/** A page of the account's users, newest first. `before`: the id that the page starts after, null for the first. */
export const listUsers = (sql: Sql, accountId: string, page: { before: string | null; limit: number }) =>
  sql<UserRow[]>`
    select ${userColumns.read(sql)} from app_user
    where account_id = ${accountId} ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;

export async function findPasswordHash(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql<{ password_hash: string }[]>`select password_hash from app_user where id = ${id}`;
  return row?.password_hash;
}

/** Whether this is still the user's password. Waits for a change that is under way. */
export async function isPasswordHash(sql: Sql, id: string, passwordHash: string): Promise<boolean> {
  const rows = await sql`select id from app_user where id = ${id} and password_hash = ${passwordHash} for share`;
  return rows.length > 0;
}

/** Also ends an open reset link of the user, and what a sign-in with the former password still has to answer. */
export const setPasswordHash = (sql: Sql, id: string, passwordHash: string) =>
  sql`
    with ended as (delete from password_reset where user_id = ${id}),
      unanswered as (delete from challenge where user_id = ${id} and purpose = 'second_factor')
    update app_user set password_hash = ${passwordHash} where id = ${id}`;

/** The ids of the account's owners, locked until the transaction ends: of two owners who demote each other at once, the second sees one left. */
export async function lockOwners(sql: Sql, accountId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from app_user where account_id = ${accountId} and role = 'owner' order by id for update`;
  return rows.map((row) => row.id);
}

export async function setUserRole(sql: Sql, accountId: string, id: string, role: Role): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`
    update app_user set role = ${role} where id = ${id} and account_id = ${accountId} returning ${userColumns.read(sql)}`;
  return row;
}

/** Also deletes the user's sessions, access tokens and invitations. */
export async function deleteUser(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`delete from app_user where id = ${id} and account_id = ${accountId} returning id`;
  return rows.length > 0;
}
