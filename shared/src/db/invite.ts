import type { Role } from "../core/role.ts";
import type { Sql } from "./connect.ts";

/** Whether the invitation can be accepted. */
export async function isInviteOpen(sql: Sql, hash: Buffer): Promise<boolean> {
  const rows = await sql`select id from invite where ${isOpen(sql, hash)}`;
  return rows.length > 0;
}

/** Uses the invitation up. Undefined when there is none, or it was used, or it is too old, or who made it is no owner any more. */
export async function acceptInvite(sql: Sql, hash: Buffer): Promise<{ account_id: string; email: string; role: Role } | undefined> {
  const [row] = await sql<{ account_id: string; email: string; role: Role }[]>`
    update invite set accepted_at = now() where ${isOpen(sql, hash)}
    returning account_id, email, role`;
  return row;
}

const isOpen = (sql: Sql, hash: Buffer) => sql`
  token_hash = ${hash} and accepted_at is null and expires_at > now()
  and exists (select from app_user maker where maker.id = created_by and maker.role = 'owner')`;

/** False when the account has no such invitation, or it was accepted. */
export async function deleteInvite(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`delete from invite where id = ${id} and account_id = ${accountId} and accepted_at is null returning id`;
  return rows.length > 0;
}

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

/** An invitation that nobody has accepted, perhaps too old already. */
export interface InviteRow {
  id: string;
  email: string;
  role: Role;
  created_by: string;
  expires_at: Date;
  created_at: Date;
}

/** A page of the account's invitations, newest first. `before`: the id that the page starts after, null for the first. */
export const listInvites = (sql: Sql, accountId: string, page: { before: string | null; limit: number }) =>
  sql<InviteRow[]>`
    select id, email, role, created_by, expires_at, created_at from invite
    where account_id = ${accountId} and accepted_at is null ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
