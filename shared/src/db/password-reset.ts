import type { Sql } from "./connect.ts";
import { userColumns, type UserRow } from "./user.ts";

export interface NewPasswordReset {
  userId: string;
  createdBy: string;
  /** SHA-256 of the token. */
  hash: Buffer;
  expiresAt: Date;
}

/** Takes the place of the user's earlier link, so that only the latest works. */
export const insertPasswordReset = (sql: Sql, { userId, createdBy, hash, expiresAt }: NewPasswordReset) =>
  sql`
    insert into password_reset (user_id, created_by, token_hash, expires_at) values (${userId}, ${createdBy}, ${hash}, ${expiresAt})
    on conflict (user_id) do update set created_by = excluded.created_by, token_hash = excluded.token_hash, expires_at = excluded.expires_at,
      created_at = now()`;

/** Whether the link can be used. */
export async function isPasswordResetOpen(sql: Sql, hash: Buffer): Promise<boolean> {
  const rows = await sql`select user_id from password_reset where ${isOpen(sql, hash)}`;
  return rows.length > 0;
}

/** Uses the link up; answers whose password it sets. Undefined when there is none, or it was used, or it is too old, or who made it is no owner any more. */
export async function takePasswordReset(sql: Sql, hash: Buffer): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`
    with taken as (delete from password_reset where ${isOpen(sql, hash)} returning user_id)
    select ${userColumns(sql)} from app_user where id = (select user_id from taken)`;
  return row;
}

const isOpen = (sql: Sql, hash: Buffer) => sql`
  token_hash = ${hash} and expires_at > now() and exists (select from app_user maker where maker.id = created_by and maker.role = 'owner')`;
