import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";
import type { SessionRow } from "./row.ts";

export interface SessionWithUser extends SessionRow {
  account_id: string;
  email: string;
  name: string;
  role: Role;
}

export async function findSession(sql: Sql, id: string): Promise<SessionWithUser | undefined> {
  const [row] = await sql<SessionWithUser[]>`
    select s.id, s.user_id, s.expires_at, s.created_at, u.account_id, u.email, u.name, u.role
    from user_session s join app_user u on u.id = s.user_id
    where s.id = ${id}`;
  return row;
}

/** The user's sessions, newest first. */
export const listSessions = (sql: Sql, userId: string) =>
  sql<SessionRow[]>`
    select id, user_id, expires_at, created_at from user_session
    where user_id = ${userId} order by created_at desc, id limit 200`;
