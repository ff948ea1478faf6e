import type { TokenScope } from "../core/credentials.ts";
import type { Role } from "../core/role.ts";
import { movingAccount } from "./account.ts";
import type { SessionWithUser } from "./session.ts";
import { type RowOf, type Sql, columns, countRows, hasRows, newestFirst, of, one, scalar } from "./statement.ts";

/** An access token without its hash. */
const accessTokenColumns = columns({
  ...of.texts("id", "account_id", "created_by", "name"),
  role: of<Role>(),
  /** The scopes; null: everything that the role may do. */
  scopes: of<TokenScope[] | null>({ read: "to_json(scopes)" }),
  /** The token's last characters, to tell tokens apart by. */
  hint: of<string>(),
  ...of.each(of<Date | null>(), "expires_at", "last_used_at"),
  created_at: of<Date>(),
});

export type AccessTokenRow = RowOf<typeof accessTokenColumns>;

export type NewAccessToken = Omit<AccessTokenRow, "last_used_at" | "created_at"> & { /** SHA-256 of the token. */ token_hash: Buffer };

export const insertAccessToken = (sql: Sql, token: NewAccessToken) =>
  one(sql<[AccessTokenRow]>`insert into access_token ${sql(token)} returning ${accessTokenColumns.read(sql)}`);

/** The number of the account's tokens that have not expired. */
export const countAccessTokens = (sql: Sql, accountId: string) =>
  countRows(sql, sql`select from access_token where account_id = ${accountId} and (expires_at is null or expires_at > now())`);

/** A valid token, and the user who made it. */
export interface LiveToken extends Omit<SessionWithUser, "expires_at" | "is_stale" | "is_proven" | "way" | "must_enroll"> {
  scopes: TokenScope[] | null;
  expires_at: Date | null;
  /** Networks from which the account lets tokens in; empty: from everywhere. */
  allowed_addresses: string[];
  user_role: Role;
}

/** The token and its user; undefined when it is unknown or expired. Records the use, at most once a minute. */
export const takeAccessToken = (sql: Sql, hash: Buffer) =>
  one(sql<LiveToken[]>`
    with live as (
      select t.id, t.role, to_json(t.scopes) as scopes, t.expires_at, t.last_used_at, u.id as user_id, m.role as user_role, t.account_id, u.email, u.name,
        to_json(a.token_addresses) as allowed_addresses, ${sql.unsafe(movingAccount)} as is_moving
      from access_token t join app_user u on u.id = t.created_by join membership m on m.user_id = t.created_by and m.account_id = t.account_id
        join account a on a.id = t.account_id
      where t.token_hash = ${hash} and (t.expires_at is null or t.expires_at > now())
    ), noted as (
      update access_token set last_used_at = now()
      where id in (select id from live where last_used_at is null or last_used_at < now() - interval '1 minute')
    )
    select id, role, scopes, expires_at, allowed_addresses, is_moving, user_id, user_role, account_id, email, name from live`);

export const findTokenName = (sql: Sql, id: string) => scalar(sql<{ name: string }[]>`select name from access_token where id = ${id}`);

/** A page of the account's tokens, newest first; with `createdBy` only that user's. `before`: the id that the page starts after, null for the first. */
export const listAccessTokens = (sql: Sql, accountId: string, page: { createdBy: string | null; before: string | null; limit: number }) =>
  sql<AccessTokenRow[]>`
    select ${accessTokenColumns.read(sql)} from access_token
    where account_id = ${accountId}
      ${page.createdBy === null ? sql`` : sql`and created_by = ${page.createdBy}`} ${newestFirst(sql, page)}`;

/** The rights of a token in use, and the addresses from which it may be used: both may change meanwhile. Undefined when it has ended. */
export const findLiveToken = (sql: Sql, id: string) =>
  one(sql<Pick<LiveToken, "role" | "user_role" | "allowed_addresses">[]>`
    select t.role, m.role as user_role, to_json(a.token_addresses) as allowed_addresses
    from access_token t join membership m on m.user_id = t.created_by and m.account_id = t.account_id join account a on a.id = t.account_id
    where t.id = ${id} and (t.expires_at is null or t.expires_at > now())`);

export const deleteAccessTokensOfUser = (sql: Sql, userId: string) => sql`delete from access_token where created_by = ${userId}`;

/** Deletes a token; false if the account, or with `createdBy` that user, has no such token. */
export const deleteAccessToken = (sql: Sql, accountId: string, id: string, createdBy: string | null) =>
  hasRows(sql`
    delete from access_token
    where id = ${id} and account_id = ${accountId} ${createdBy === null ? sql`` : sql`and created_by = ${createdBy}`}
    returning id`);
