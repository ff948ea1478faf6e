import type { Sql } from "../../connect.ts";
import type { SessionRow } from "./row.ts";

export type NewSession = Pick<SessionRow, "id" | "handle" | "user_id" | "address" | "user_agent" | "expires_at">;

export const insertSession = (sql: Sql, session: NewSession) => sql`insert into user_session ${sql(session)}`;

/** Writes down that it was used now, and from where. */
export const noteSessionUse = (sql: Sql, id: string, by: { address: string; userAgent: string }) =>
  sql`update user_session set last_used_at = now(), address = ${by.address}, user_agent = ${by.userAgent} where id = ${id}`;

export const extendSession = (sql: Sql, id: string, expiresAt: Date) =>
  sql`update user_session set expires_at = ${expiresAt} where id = ${id}`;

export const deleteSession = (sql: Sql, id: string) => sql`delete from user_session where id = ${id}`;

/** The id of the user's session of that handle, which is ended; undefined when there is none. */
export async function deleteSessionByHandle(sql: Sql, userId: string, handle: string): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`delete from user_session where user_id = ${userId} and handle = ${handle} returning id`;
  return row?.id;
}

/** All sessions of the user but `keep`. */
export const deleteSessionsOfUser = (sql: Sql, userId: string, keep: string | null) =>
  sql`delete from user_session where user_id = ${userId} ${keep === null ? sql`` : sql`and id <> ${keep}`}`;

export const deleteExpiredSessions = (sql: Sql) => sql`delete from user_session where expires_at < now()`;
