import type { Sql } from "../../connect.ts";

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
