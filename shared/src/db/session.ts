import type { Role } from "../core/role.ts";
import { movingAccount } from "./account.ts";
import { lacksSecondFactor } from "./second-factor.ts";
import { type IdPage, type RowOf, type Sql, columns, hasRows, newestFirst, of, one, scalar } from "./statement.ts";

export type SessionWay = "password" | "second_factor" | "passkey" | "sso";

const sessionColumns = columns({
  /** SHA-256 of the session token, hex. */
  id: of<string>(),
  /** The id by which the user names the session. */
  handle: of<string>(),
  user_id: of<string>(),
  /** The account in which the session works. */
  account_id: of<string>(),
  /** The way by which it was opened. */
  way: of<SessionWay>(),
  /** The address of the last use; the user agent is also that of the last use. */
  ...of.each(of<string | null>(), "address", "user_agent"),
  ...of.each(of<Date>(), "last_used_at", "expires_at", "created_at"),
});

export type SessionRow = RowOf<typeof sessionColumns>;

export type NewSession = Omit<SessionRow, "last_used_at" | "created_at">;

/** A session ends this long after its sign-in, however often it is used. */
const longestDays = 90;
/** A proof of the person counts for this many minutes. */
const proofMinutes = 10;

export const insertSession = (sql: Sql, session: NewSession) => sql`insert into user_session ${sql(session)}`;

export interface SessionWithUser extends Pick<SessionRow, "id" | "user_id" | "account_id" | "way" | "expires_at"> {
  /** True if the last recorded use is more than a minute ago. */
  is_stale: boolean;
  /** True if the person proved themselves within the last 10 minutes. */
  is_proven: boolean;
  /** True if the account demands a second factor, the user has none, and the session was not opened by the OpenID issuer. */
  must_enroll: boolean;
  /** Networks from which the account lets sessions in; empty: from everywhere. */
  allowed_addresses: string[];
  /** Whether the account leaves for another installation, or arrives from one. */
  is_moving: boolean;
  email: string;
  name: string;
  role: Role;
}

/** The valid session with that id. Undefined also if the account demands the OpenID issuer and the session was opened another way. */
export const findSession = (sql: Sql, id: string) =>
  one(sql<SessionWithUser[]>`
    select s.id, s.user_id, s.expires_at, s.last_used_at < now() - interval '1 minute' as is_stale,
      s.proven_at > now() - make_interval(mins => ${proofMinutes}) as is_proven, s.account_id, u.email, u.name, m.role,
      s.way, s.way <> 'sso' and ${lacksSecondFactor(sql)} as must_enroll, to_json(a.dashboard_addresses) as allowed_addresses, ${sql.unsafe(movingAccount)} as is_moving
    from user_session s join app_user u on u.id = s.user_id join membership m on m.user_id = s.user_id and m.account_id = s.account_id
      join account a on a.id = s.account_id
    where s.id = ${id} and s.created_at > now() - make_interval(days => ${longestDays}) and (s.way = 'sso' or not a.require_sso)`);

/** A page of the user's sessions, newest first. `before`: the handle that the page starts after, null for the first. */
export const listSessions = (sql: Sql, userId: string, page: IdPage) =>
  sql<SessionRow[]>`
    select ${sessionColumns.read(sql)} from user_session
    where user_id = ${userId} and expires_at > now() ${newestFirst(sql, page, "handle")}`;

/** Records a use now, with its address and user agent. */
export const noteSessionUse = (sql: Sql, id: string, by: { address: string; userAgent: string }) =>
  sql`update user_session set last_used_at = now(), address = ${by.address}, user_agent = ${by.userAgent} where id = ${id}`;

/** Moves the end of the session, at most to 90 days after the sign-in. */
export const extendSession = (sql: Sql, id: string, expiresAt: Date) =>
  sql`
    update user_session set expires_at = least(${expiresAt}, created_at + make_interval(days => ${longestDays}))
    where id = ${id} and expires_at < created_at + make_interval(days => ${longestDays})`;

/** Records that the person proved themselves now. */
export const noteProof = (sql: Sql, id: string) => sql`update user_session set proven_at = now() where id = ${id}`;

/** Moves the session to another account of its person; false if they are no member of it. */
export const moveSession = (sql: Sql, id: string, accountId: string) =>
  hasRows(sql`
    with chosen as (
      update membership set chosen_at = now()
      where account_id = ${accountId} and user_id = (select user_id from user_session where id = ${id})
      returning account_id
    )
    update user_session set account_id = chosen.account_id from chosen where id = ${id} returning id`);

export const deleteSession = (sql: Sql, id: string) => sql`delete from user_session where id = ${id}`;

/** Ends the user's session with that handle and answers its id; undefined if there is none. */
export const deleteSessionByHandle = (sql: Sql, userId: string, handle: string) =>
  scalar(sql<{ id: string }[]>`delete from user_session where user_id = ${userId} and handle = ${handle} returning id`);

/** Ends the account's sessions that the OpenID issuer did not open. */
export const deleteSessionsWithoutIssuer = (sql: Sql, accountId: string) =>
  sql`delete from user_session where account_id = ${accountId} and way <> 'sso'`;

/** Ends the user's sessions that the OpenID issuer did not open. */
export const deleteSessionsOfUserWithoutIssuer = (sql: Sql, userId: string) =>
  sql`delete from user_session where user_id = ${userId} and way <> 'sso'`;

/** Ends all sessions of the user except `keep`. */
export const deleteSessionsOfUser = (sql: Sql, userId: string, keep: string | null) =>
  sql`delete from user_session where user_id = ${userId} ${keep === null ? sql`` : sql`and id <> ${keep}`}`;

export const deleteExpiredSessions = (sql: Sql) => sql`delete from user_session where expires_at < now()`;
