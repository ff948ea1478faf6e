import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";

/** Whether the invitation can be accepted. */
export async function isInviteOpen(sql: Sql, hash: Buffer): Promise<boolean> {
  const rows = await sql`select id from invite where ${isOpen(sql, hash)}`;
  return rows.length > 0;
}

/** Uses the invitation up. Undefined when there is none, or it was used, or it is too old, or who made it is no owner any more. */
export async function acceptInvite(sql: Sql, hash: Buffer): Promise<{ account_id: string; email: string; role: Role } | undefined> {
  const [row] = await sql<{ account_id: string; email: string; role: Role }[]>`
    update invite set accepted_at = now() where ${isOpen(sql, hash)}
    returning account_id, email, role`;
  return row;
}

const isOpen = (sql: Sql, hash: Buffer) => sql`
  token_hash = ${hash} and accepted_at is null and expires_at > now()
  and exists (select from app_user maker where maker.id = created_by and maker.role = 'owner')`;
