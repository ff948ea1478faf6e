import type { SessionRow } from "shared/db/session";

/** `current`: the session that asks. `lastUsedAt`, `address` and `userAgent` may be a minute behind. */
export const presentSession = (row: SessionRow, current: string | null) => ({
  id: row.handle,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  address: row.address,
  userAgent: row.user_agent,
  current: row.id === current,
});
