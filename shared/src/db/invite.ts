import type { Role } from "../core/role.ts";
import { type IdPage, type RowOf, type Sql, columns, countRows, hasRows, newestFirst, of, one } from "./statement.ts";

const inviteColumns = columns({
  ...of.texts("id", "email"),
  role: of<Role>(),
  created_by: of<string>(),
  ...of.each(of<Date>(), "expires_at", "created_at"),
});

/** An invitation that was not accepted yet; it may have expired. */
export type InviteRow = RowOf<typeof inviteColumns>;

/** The address, the account and the role of an open invitation. */
export interface OpenInvite {
  account_id: string;
  email: string;
  role: Role;
}

export type NewInvite = Omit<InviteRow, "created_at"> & { account_id: string; /** SHA-256 of the token. */ token_hash: Buffer };

/** Replaces the account's open invitations of the same address, so that only the latest link works. */
export async function insertInvite(sql: Sql, invite: NewInvite): Promise<void> {
  await sql`
    delete from invite
    where account_id = ${invite.account_id} and lower(email) = lower(${invite.email}) and accepted_at is null`;
  await sql`insert into invite ${sql(invite)}`;
}

/** A page of the account's open invitations, newest first. `before`: the id that the page starts after, null for the first. */
export const listInvites = (sql: Sql, accountId: string, page: IdPage) =>
  sql<InviteRow[]>`
    select ${inviteColumns.read(sql)} from invite
    where account_id = ${accountId} and accepted_at is null ${newestFirst(sql, page)}`;

/** The account's open invitations, also those that have expired. */
export const countInvites = (sql: Sql, accountId: string) =>
  countRows(sql, sql`select from invite where account_id = ${accountId} and accepted_at is null`);

/** Whether somebody is invited with that address, to whichever account. */
export const isInvited = (sql: Sql, email: string) =>
  hasRows(sql`select from invite where lower(email) = lower(${email}) and ${isOpen(sql)} limit 1`);

export interface Invited {
  email: string;
  role: Role;
  /** The name of the invitation's account. */
  account: string;
  /** True if the account demands the OpenID issuer. */
  require_sso: boolean;
}

/** The address, the account and the role of an invitation that can be accepted. */
export const findInvited = (sql: Sql, hash: Buffer) =>
  one(sql<Invited[]>`
    select invite.email, invite.role, account.name as account, account.require_sso from invite join account on account.id = invite.account_id
    where token_hash = ${hash} and ${isOpen(sql)}`);

/** Uses the invitation up. Undefined when there is none, it was used or has expired, or its maker is no longer an owner. */
export const acceptInvite = (sql: Sql, hash: Buffer) =>
  one(sql<OpenInvite[]>`
    update invite set accepted_at = now() where token_hash = ${hash} and ${isOpen(sql)}
    returning account_id, email, role`);

/** Uses up the newest open invitation of the address. Undefined when there is none. */
export const takeInviteOfAddress = (sql: Sql, email: string) =>
  one(sql<OpenInvite[]>`
    update invite set accepted_at = now()
    where accepted_at is null and id = (
      select id from invite where lower(email) = lower(${email}) and ${isOpen(sql)} order by id desc limit 1
    )
    returning account_id, email, role`);

const isOpen = (sql: Sql) => sql`
  accepted_at is null and expires_at > now()
  and exists (select from membership maker where maker.user_id = created_by and maker.account_id = invite.account_id and maker.role = 'owner')`;

/** Takes back the open invitations that the user made. */
export const deleteInvitesOfUser = (sql: Sql, userId: string) =>
  sql`delete from invite where created_by = ${userId} and accepted_at is null`;

/** Deletes an invitation; false if the account has no such invitation, or it was accepted. */
export const deleteInvite = (sql: Sql, accountId: string, id: string) =>
  hasRows(sql`delete from invite where id = ${id} and account_id = ${accountId} and accepted_at is null returning id`);
