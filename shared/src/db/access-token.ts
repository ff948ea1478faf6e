import type { Role } from "../core/role.ts";
import type { Sql } from "./connect.ts";

/** An access token without its hash. */
export interface AccessTokenRow {
  id: string;
  account_id: string;
  created_by: string;
  name: string;
  role: Role;
  hint: string;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

const accessTokenColumns = (sql: Sql) => sql`id, account_id, created_by, name, role, hint, expires_at, last_used_at, created_at`;

/** False when the account, or with `createdBy` that user, has no such token. */
export async function deleteAccessToken(sql: Sql, accountId: string, id: string, createdBy: string | null): Promise<boolean> {
  const rows = await sql`
    delete from access_token
    where id = ${id} and account_id = ${accountId} ${createdBy === null ? sql`` : sql`and created_by = ${createdBy}`}
    returning id`;
  return rows.length > 0;
}

/** A token that holds, and the user who made it. */
export interface LiveToken {
  id: string;
  role: Role;
  expires_at: Date | null;
  user_id: string;
  user_role: Role;
  account_id: string;
  email: string;
  name: string;
}

/** Also notes that it was used, once a minute at most. Undefined when unknown or expired. */
export async function takeAccessToken(sql: Sql, hash: Buffer): Promise<LiveToken | undefined> {
  const [row] = await sql<LiveToken[]>`
    with live as (
      select t.id, t.role, t.expires_at, t.last_used_at, u.id as user_id, u.role as user_role, u.account_id, u.email, u.name
      from access_token t join app_user u on u.id = t.created_by
      where t.token_hash = ${hash} and (t.expires_at is null or t.expires_at > now())
    ), noted as (
      update access_token set last_used_at = now()
      where id in (select id from live where last_used_at is null or last_used_at < now() - interval '1 minute')
    )
    select id, role, expires_at, user_id, user_role, account_id, email, name from live`;
  return row;
}

export interface NewAccessToken {
  id: string;
  accountId: string;
  createdBy: string;
  name: string;
  role: Role;
  /** SHA-256 of the token. */
  hash: Buffer;
  /** Its last characters, to tell tokens apart by. */
  hint: string;
  expiresAt: Date | null;
}

export async function insertAccessToken(sql: Sql, token: NewAccessToken): Promise<AccessTokenRow> {
  const [row] = await sql<[AccessTokenRow]>`
    insert into access_token (id, account_id, created_by, name, role, token_hash, hint, expires_at)
    values (${token.id}, ${token.accountId}, ${token.createdBy}, ${token.name}, ${token.role}, ${token.hash}, ${token.hint}, ${token.expiresAt})
    returning ${accessTokenColumns(sql)}`;
  return row;
}

/** A page of the account's tokens, newest first; with `createdBy` that user's only. `before`: the id that the page starts after, null for the first. */
export const listAccessTokens = (sql: Sql, accountId: string, page: { createdBy: string | null; before: string | null; limit: number }) =>
  sql<AccessTokenRow[]>`
    select ${accessTokenColumns(sql)} from access_token
    where account_id = ${accountId}
      ${page.createdBy === null ? sql`` : sql`and created_by = ${page.createdBy}`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
