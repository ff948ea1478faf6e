import { type RowOf, type Sql, columns, hasRows, of, one, scalar } from "./statement.ts";

const userColumns = columns({ id: of<string>(), email: of<string>(), name: of<string>() });

/** A person, without the password's hash. */
export type UserRow = RowOf<typeof userColumns>;

export type NewUser = UserRow & {
  /** Argon2id. */
  password_hash: string;
  /** True if the person is known to own the address. The server's first user counts as such. */
  address_proven?: boolean;
  /** True unless the person has to open a link that is mailed to the address. */
  email_proven?: boolean;
  /** True if nothing is open to the person until then. */
  sleeps?: boolean;
};

/** Adds a user; false if the address is taken, in any case. */
export const insertUser = (
  sql: Sql,
  { id, email, name, password_hash, address_proven = false, email_proven = true, sleeps = false }: NewUser,
) =>
  hasRows(sql`
    insert into app_user (id, email, name, password_hash, address_proven, email_proven, sleeps)
    values (${id}, ${email}, ${name}, ${password_hash}, ${address_proven} or not exists (select from app_user), ${email_proven}, ${sleeps})
    on conflict (lower(email)) do nothing returning id`);

/** Whether the user with that address is the only one. */
export const isOnlyUser = (sql: Sql, email: string) =>
  scalar(sql<[{ found: boolean }]>`
    select count(*) = 1 and bool_and(email = ${email}) as found from (select email from app_user limit 2) first_two`);

export const anyUserExists = (sql: Sql) => scalar(sql<[{ found: boolean }]>`select exists (select from app_user) as found`);

export type UserToSignIn = UserRow & { password_hash: string; address_proven: boolean; sleeps: boolean };

/** The user with that address, in any case. */
export const findUserByEmail = (sql: Sql, email: string) =>
  one(sql<UserToSignIn[]>`
    select ${userColumns.read(sql)}, password_hash, address_proven, sleeps from app_user where lower(email) = lower(${email})`);

/** The user, locked until the transaction ends: nobody can make them a member of an account meanwhile. */
export const lockUser = (sql: Sql, id: string) =>
  one(sql<UserRow[]>`select ${userColumns.read(sql)} from app_user where id = ${id} for update`);

export const findPasswordHash = (sql: Sql, id: string) =>
  scalar(sql<{ password_hash: string }[]>`select password_hash from app_user where id = ${id}`);

/** Whether this is still the user's password. Waits for a change that is under way. */
export const isPasswordHash = (sql: Sql, id: string, passwordHash: string) =>
  hasRows(sql`select id from app_user where id = ${id} and password_hash = ${passwordHash} for share`);

/** Records that the person owns the address; false if that was known. */
export const proveAddress = (sql: Sql, id: string) =>
  hasRows(sql`
    update app_user set address_proven = true, credentials_ended_at = now() where id = ${id} and not address_proven returning id`);

/** A person at the OpenID issuer, as digests. */
export type Identity = Record<"issuer" | "subject", string>;

/** The user whom the issuer has vouched for under that identity. */
export const findUserByIdentity = (sql: Sql, { issuer, subject }: Identity) =>
  one(sql<UserToSignIn[]>`
    select ${userColumns.read(sql)}, password_hash, address_proven, sleeps from app_user where openid_issuer = ${issuer} and openid_subject = ${subject}`);

/** Whether the user may be that person: another issuer, or none, has vouched for them so far, or this one under the same identity. */
export const mayBeIdentity = (sql: Sql, id: string, { issuer, subject }: Identity) =>
  hasRows(sql`
    select from app_user where id = ${id} and (openid_subject is null or openid_issuer <> ${issuer} or openid_subject = ${subject})`);

/** Remembers who the user is at the issuer, which vouches for their mailbox too. */
export const setIdentity = (sql: Sql, id: string, { issuer, subject }: Identity) => sql`
  update app_user set openid_issuer = ${issuer}, openid_subject = ${subject}, email_proven = true, sleeps = false
  where id = ${id} and (openid_issuer, openid_subject, email_proven, sleeps) is distinct from (${issuer}::text, ${subject}::text, true, false)`;

/** Whether the person has opened a link that was mailed to the address, and whether nothing is open to them until then. */
export const findEmailState = (sql: Sql, id: string) =>
  one(sql<{ email_proven: boolean; sleeps: boolean }[]>`select email_proven, sleeps from app_user where id = ${id}`);

/** Records that the person has opened a link that was mailed to that address; false if it is not theirs any more. */
export const proveEmail = (sql: Sql, id: string, email: string) =>
  hasRows(sql`update app_user set email_proven = true, sleeps = false where id = ${id} and email = ${email} returning id`);

/** When everything ended that had been made before the person proved their address; null if nothing did. */
export const findCredentialsEnd = async (sql: Sql, id: string) =>
  (await scalar(sql<{ ended: Date | null }[]>`select credentials_ended_at as ended from app_user where id = ${id}`)) ?? null;

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
    update app_user set email = ${email}, address_proven = ${proven}, email_proven = ${proven} where id = ${id}`;
