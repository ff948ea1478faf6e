import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";

/** An invitation that nobody has accepted, perhaps too old already. */
export interface InviteRow {
  id: string;
  email: string;
  role: Role;
  created_by: string;
  expires_at: Date;
  created_at: Date;
}

/** A page of the account's invitations, newest first. `before`: the id that the page starts after, null for the first. */
export const listInvites = (sql: Sql, accountId: string, page: { before: string | null; limit: number }) =>
  sql<InviteRow[]>`
    select id, email, role, created_by, expires_at, created_at from invite
    where account_id = ${accountId} and accepted_at is null ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
