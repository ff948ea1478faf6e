import type { InviteRow } from "shared/db/invite";
import type { UserRow } from "shared/db/user";
import { presentUser } from "../../session/sign-in.ts";

export const presentMember = (row: UserRow) => ({ ...presentUser(row), createdAt: row.created_at.toISOString() });

export const presentInvite = (row: InviteRow) => ({
  id: row.id,
  email: row.email,
  role: row.role,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});
