import type { Sql } from "./connect.ts";
import { userColumns, type UserRow } from "./user.ts";

export interface NewPasswordReset {
  user_id: string;
  created_by: string;
  /** SHA-256 of the token. */
  token_hash: Buffer;
  expires_at: Date;
}

/** Replaces the user's earlier link, so that only the latest works. */
export const insertPasswordReset = (sql: Sql, reset: NewPasswordReset) =>
  sql`
    insert into password_reset ${sql(reset)}
    on conflict (user_id) do update set created_by = excluded.created_by, token_hash = excluded.token_hash, expires_at = excluded.expires_at,
      created_at = now()`;

/** Whether the link can be used. */
export async function isPasswordResetOpen(sql: Sql, hash: Buffer): Promise<boolean> {
  const rows = await sql`select user_id from password_reset where ${isOpen(sql, hash)}`;
  return rows.length > 0;
}

/** Uses the link up and answers its user. Undefined when there is none, it was used or has expired, or its maker is no longer an owner. */
export async function takePasswordReset(sql: Sql, hash: Buffer): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`
    with taken as (delete from password_reset where ${isOpen(sql, hash)} returning user_id)
    select ${userColumns.read(sql)} from app_user where id = (select user_id from taken)`;
  return row;
}

const isOpen = (sql: Sql, hash: Buffer) => sql`
  token_hash = ${hash} and expires_at > now() and exists (select from app_user maker where maker.id = created_by and maker.role = 'owner')`;
