import type { Sql } from "../../connect.ts";

export const insertSession = (sql: Sql, session: { id: string; userId: string; expiresAt: Date }) =>
  sql`insert into user_session (id, user_id, expires_at) values (${session.id}, ${session.userId}, ${session.expiresAt})`;

export const extendSession = (sql: Sql, id: string, expiresAt: Date) =>
  sql`update user_session set expires_at = ${expiresAt} where id = ${id}`;

export const deleteSession = (sql: Sql, id: string) => sql`delete from user_session where id = ${id}`;

/** All sessions of the user but `keep`. */
export const deleteSessionsOfUser = (sql: Sql, userId: string, keep: string | null) =>
  sql`delete from user_session where user_id = ${userId} ${keep === null ? sql`` : sql`and id <> ${keep}`}`;

export const deleteExpiredSessions = (sql: Sql) => sql`delete from user_session where expires_at < now()`;
