import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";

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
