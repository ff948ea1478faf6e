import type { Sql } from "./connect.ts";
import { columns, of, type RowOf } from "./table.ts";

const userColumns = columns({
  id: of<string>(),
  email: of<string>(),
  name: of<string>(),
});

/** A person, without the password's hash. */
export type UserRow = RowOf<typeof userColumns>;

export type NewUser = UserRow & {
  /** Argon2id. */
  password_hash: string;
  /** True if the person is known to own the address. The server's first user counts as such. */
  address_proven?: boolean;
};

/** Adds a user; false if the address is taken, in any case. */
export async function insertUser(sql: Sql, { id, email, name, password_hash, address_proven = false }: NewUser): Promise<boolean> {
  const rows = await sql`
    insert into app_user (id, email, name, password_hash, address_proven)
    values (${id}, ${email}, ${name}, ${password_hash}, ${address_proven} or not exists (select from app_user))
    on conflict (lower(email)) do nothing returning id`;
  return rows.length > 0;
}

/** Whether the user with that address is the only one. */
export async function isOnlyUser(sql: Sql, email: string): Promise<boolean> {
  const [row] = await sql<
    [{ found: boolean }]
  >`select count(*) = 1 and bool_and(email = ${email}) as found from (select email from app_user limit 2) first_two`;
  return row.found === true;
}

export async function anyUserExists(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`select exists (select from app_user) as found`;
  return row.found;
}

export type UserToSignIn = UserRow & { password_hash: string; address_proven: boolean };

/** The user with that address, in any case. */
export async function findUserByEmail(sql: Sql, email: string): Promise<UserToSignIn | undefined> {
  const [row] = await sql<UserToSignIn[]>`
    select ${userColumns.read(sql)}, password_hash, address_proven from app_user where lower(email) = lower(${email})`;
  return row;
}

/** The user, locked until the transaction ends: nobody can make them a member of an account meanwhile. */
export async function lockUser(sql: Sql, id: string): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`select ${userColumns.read(sql)} from app_user where id = ${id} for update`;
  return row;
}

export async function findPasswordHash(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql<{ password_hash: string }[]>`select password_hash from app_user where id = ${id}`;
  return row?.password_hash;
}

/** Whether this is still the user's password. Waits for a change that is under way. */
export async function isPasswordHash(sql: Sql, id: string, passwordHash: string): Promise<boolean> {
  const rows = await sql`select id from app_user where id = ${id} and password_hash = ${passwordHash} for share`;
  return rows.length > 0;
}

/** Records that the person owns the address; false if that was known. */
export async function proveAddress(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`
    update app_user set address_proven = true, credentials_ended_at = now() where id = ${id} and not address_proven returning id`;
  return rows.length > 0;
}

/** When everything ended that had been made before the person proved their address; null if nothing did. */
export async function findCredentialsEnd(sql: Sql, id: string): Promise<Date | null> {
  const [row] = await sql<{ ended: Date | null }[]>`select credentials_ended_at as ended from app_user where id = ${id}`;
  return row?.ended ?? null;
}

/** Changes the password; also ends the user's open reset link and unanswered second factors of sign-ins with the former one. */
export const setPasswordHash = (sql: Sql, id: string, passwordHash: string) =>
  sql`
    with ended as (delete from password_reset where user_id = ${id}),
      unanswered as (delete from challenge where user_id = ${id} and purpose = 'second_factor')
    update app_user set password_hash = ${passwordHash} where id = ${id}`;

export const setName = (sql: Sql, id: string, name: string) => sql`update app_user set name = ${name} where id = ${id}`;

/** Changes the user's address, and ends the links that were sent to the former one. `proven`: whether the person is known to own the new one. */
export const setEmail = (sql: Sql, id: string, email: string, proven: boolean) =>
  sql`
    with ended as (delete from password_reset where user_id = ${id})
    update app_user set email = ${email}, address_proven = ${proven} where id = ${id}`;
