import type { Role } from "../core/role.ts";
import { movingAccount } from "./account.ts";
import { newId } from "./ids.ts";
import { type IdPage, type RowOf, type Sql, columns, hasRows, newestFirst, of, one, scalar, scalars } from "./statement.ts";
import { lockUser } from "./user.ts";

const memberColumns = columns({
  /** The membership's id, by which lists are ordered. */
  membership_id: of<string>({ read: "m.id" }),
  /** The person's id. */
  id: of<string>({ read: "m.user_id" }),
  account_id: of<string>({ read: "m.account_id" }),
  email: of<string>({ read: "u.email" }),
  name: of<string>({ read: "u.name" }),
  role: of<Role>({ read: "m.role" }),
  created_at: of<Date>({ read: "m.created_at" }),
  /** True if the account demands a sign-in by the OpenID issuer. */
  require_sso: of<boolean>({ read: "a.require_sso" }),
  require_second_factor: of<boolean>({ read: "a.require_second_factor" }),
  /** True while the account leaves for another installation, or arrives from one: nobody gets in. */
  is_moving: of<boolean>({ read: movingAccount }),
});

/** A person in one of their accounts. */
export type MemberRow = RowOf<typeof memberColumns>;

const members = (sql: Sql) =>
  sql`select ${memberColumns.read(sql)} from membership m join app_user u on u.id = m.user_id join account a on a.id = m.account_id`;

/** The most accounts of one person. */
export const mostAccounts = 100;

/**
 * Makes a person a member. This ends their open reset link, as an owner of one account must not set the password that opens another. `sql` is a
 * transaction. Undefined when they are one already.
 */
export async function insertMembership(sql: Sql, { userId, accountId, role }: { userId: string; accountId: string; role: Role }) {
  const [made] = await sql`
    with ended as (delete from password_reset where user_id = ${userId})
    insert into membership (id, user_id, account_id, role) values (${newId()}, ${userId}, ${accountId}, ${role})
    on conflict (user_id, account_id) do nothing returning id`;
  return made === undefined ? undefined : findMember(sql, accountId, userId);
}

export const findMember = (sql: Sql, accountId: string, userId: string) =>
  one(sql<MemberRow[]>`${members(sql)} where m.user_id = ${userId} and m.account_id = ${accountId}`);

/** The name of the member who signs in by an e-mail address. */
export const findMemberName = (sql: Sql, accountId: string, email: string) =>
  scalar(sql<{ name: string }[]>`
    select u.name from membership m join app_user u on u.id = m.user_id where m.account_id = ${accountId} and u.email = ${email}`);

/** A page of the account's members, newest first. `before`: the membership that the page starts after, null for the first. */
export const listMembers = (sql: Sql, accountId: string, page: IdPage) =>
  sql<MemberRow[]>`
    ${members(sql)}
    where m.account_id = ${accountId} ${newestFirst(sql, page, "m.id")}`;

/** The person in each of their accounts, the one that they last chose first. */
export const listMemberships = (sql: Sql, userId: string) =>
  sql<MemberRow[]>`${members(sql)} where m.user_id = ${userId} order by m.chosen_at desc, m.id limit ${mostAccounts}`;

/** The names of the person's accounts and their roles there, by name. */
export const listAccountsOfUser = (sql: Sql, userId: string) =>
  sql<{ id: string; name: string; role: Role }[]>`
    select a.id, a.name, m.role from membership m join account a on a.id = m.account_id
    where m.user_id = ${userId} order by lower(a.name), a.id limit ${mostAccounts}`;

/** The ids of the account's owners, locked until the transaction ends: if two owners demote each other at once, the second sees one left. */
export const lockOwners = (sql: Sql, accountId: string) =>
  scalars(sql<{ user_id: string }[]>`
    select user_id from membership where account_id = ${accountId} and role = 'owner' order by user_id for update`);

/** Whether an owner of the account has shown that their mailbox is theirs. */
export const hasProvenOwner = (sql: Sql, accountId: string) =>
  hasRows(sql`
    select from membership m join app_user u on u.id = m.user_id
    where m.account_id = ${accountId} and m.role = 'owner' and u.email_proven and not u.sleeps limit 1`);

export async function setMemberRole(sql: Sql, accountId: string, userId: string, role: Role): Promise<MemberRow | undefined> {
  await sql`update membership set role = ${role} where user_id = ${userId} and account_id = ${accountId}`;
  return findMember(sql, accountId, userId);
}

/**
 * Removes a person from the account, and ends their sessions, access tokens and invitations there. A person without another account is deleted. `sql` is a
 * transaction. False if they are no member.
 */
export async function deleteMembership(sql: Sql, accountId: string, userId: string): Promise<boolean> {
  await lockUser(sql, userId);
  if (!(await hasRows(sql`delete from membership where user_id = ${userId} and account_id = ${accountId} returning id`))) return false;
  await sql`delete from app_user where id = ${userId} and not exists (select from membership where user_id = ${userId})`;
  return true;
}
