import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";

/** Uses the invitation up. Undefined when there is none, or it was used, or it is too old. */
export async function acceptInvite(sql: Sql, hash: Buffer): Promise<{ account_id: string; email: string; role: Role } | undefined> {
  const [row] = await sql<{ account_id: string; email: string; role: Role }[]>`
    update invite set accepted_at = now()
    where token_hash = ${hash} and accepted_at is null and expires_at > now()
    returning account_id, email, role`;
  return row;
}
