import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";

export interface NewInvite {
  id: string;
  accountId: string;
  createdBy: string;
  email: string;
  role: Role;
  /** SHA-256 of the token. */
  hash: Buffer;
  expiresAt: Date;
}

/** Takes the place of the account's earlier invitations of the same address, so that only the latest link works. */
export async function insertInvite(sql: Sql, invite: NewInvite): Promise<void> {
  await sql`
    delete from invite
    where account_id = ${invite.accountId} and lower(email) = lower(${invite.email}) and accepted_at is null`;
  await sql`
    insert into invite (id, account_id, created_by, email, role, token_hash, expires_at)
    values (${invite.id}, ${invite.accountId}, ${invite.createdBy}, ${invite.email}, ${invite.role}, ${invite.hash}, ${invite.expiresAt})`;
}
