import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";

export interface SessionWithUser {
  id: string;
  user_id: string;
  expires_at: Date;
  /** Its last use was written down more than a minute ago. */
  is_stale: boolean;
  account_id: string;
  email: string;
  name: string;
  role: Role;
}

export async function findSession(sql: Sql, id: string): Promise<SessionWithUser | undefined> {
  const [row] = await sql<SessionWithUser[]>`
    select s.id, s.user_id, s.expires_at, s.last_used_at < now() - interval '1 minute' as is_stale, u.account_id, u.email, u.name, u.role
    from user_session s join app_user u on u.id = s.user_id
    where s.id = ${id}`;
  return row;
}
