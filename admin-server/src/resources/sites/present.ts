import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import type { SiteRow } from "shared/db/site";
import type { SiteSecretRow } from "shared/db/site-secret";
import { shownPhone } from "../../trpc/shown-phone.ts";

export const presentSite = (row: SiteRow, role: Role) => ({
  id: row.id,
  name: row.name,
  url: row.url,
  sourceType: row.source_type,
  enabled: row.enabled,
  testPhone: row.test_phone && shownPhone(row.test_phone, role),
  requireTimestamp: row.require_timestamp,
  rateLimitPerSecond: row.rate_limit_per_second,
  apiKeyHint: row.key_hint,
  createdAt: row.created_at.toISOString(),
  lastEventAt: row.last_event_id && new Date(uuidTime(row.last_event_id)).toISOString(),
});

/** `expiresAt` is null for the current one, else when the one that was replaced ends. `lastUsedAt` may be a minute behind. */
export const presentSecret = (row: SiteSecretRow) => ({
  id: row.id,
  kind: row.kind,
  hint: row.hint,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});
