import type { AccessTokenRow } from "shared/db/access-token";

export const presentToken = (row: AccessTokenRow) => ({
  id: row.id,
  name: row.name,
  role: row.role,
  hint: row.hint,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});
