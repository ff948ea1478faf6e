import { type Sql, scalar } from "./statement.ts";
import { lockUser, type UserRow } from "./user.ts";

export interface NewPasswordReset {
  user_id: string;
  created_by: string;
  /** The user's only account. */
  account_id: string;
  /** SHA-256 of the token. */
  token_hash: Buffer;
  expires_at: Date;
}

/** Replaces the link that an owner made before, so that only the latest works. */
export const insertPasswordReset = (sql: Sql, reset: NewPasswordReset) =>
  sql`
    insert into password_reset ${sql(reset)}
    on conflict (user_id) where not by_mail do update set created_by = excluded.created_by, account_id = excluded.account_id, token_hash = excluded.token_hash, expires_at = excluded.expires_at,
      created_at = now()`;

/** A link that is mailed to the person alone. Several may be open, so that nobody can end one by asking for another. */
export const insertPasswordResetByMail = (sql: Sql, reset: Omit<NewPasswordReset, "created_by">) =>
  sql`insert into password_reset ${sql({ ...reset, created_by: reset.user_id, by_mail: true })}`;

/** The account of a link that can be used. */
export const findAccountOfReset = (sql: Sql, hash: Buffer) =>
  scalar(sql<{ account_id: string }[]>`select account_id from password_reset where ${isOpen(sql, hash)}`);

/** Ends the open links that the user made for others. */
export const deletePasswordResetsBy = (sql: Sql, userId: string) => sql`delete from password_reset where created_by = ${userId}`;

/**
 * Uses the link up and answers its user. Undefined when there is none, it was used or has expired, its maker is no longer an owner, or the user has joined
 * another account. The last two hold only for an owner's link. `sql` is a transaction.
 */
export async function takePasswordReset(sql: Sql, hash: Buffer): Promise<UserRow | undefined> {
  const [link] = await sql<{ user_id: string }[]>`select user_id from password_reset where token_hash = ${hash}`;
  if (link === undefined) return undefined;
  // The lock keeps the user from joining an account before the transaction ends.
  const user = await lockUser(sql, link.user_id);
  const taken = await sql`delete from password_reset where ${isOpen(sql, hash)} returning user_id`;
  return taken.length > 0 ? user : undefined;
}

const isOpen = (sql: Sql, hash: Buffer) => sql`
  token_hash = ${hash} and expires_at > now() and (by_mail or (
    exists (select from membership maker where maker.user_id = created_by and maker.account_id = password_reset.account_id and maker.role = 'owner')
    and not exists (select from membership other where other.user_id = password_reset.user_id and other.account_id <> password_reset.account_id)))`;
