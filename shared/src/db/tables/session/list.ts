import type { Sql } from "../../connect.ts";
import type { SessionRow } from "./row.ts";

/** A page of the user's sessions, newest first. `before`: the handle that the page starts after, null for the first. */
export const listSessions = (sql: Sql, userId: string, page: { before: string | null; limit: number }) =>
  sql<SessionRow[]>`
    select id, handle, user_id, address, user_agent, last_used_at, expires_at, created_at from user_session
    where user_id = ${userId} and expires_at > now() ${page.before === null ? sql`` : sql`and handle < ${page.before}`}
    order by handle desc limit ${page.limit}`;
