import type { SiteRow } from "shared/db/tables/site/row";

export const presentSite = (row: SiteRow) => ({
  id: row.id,
  name: row.name,
  url: row.url,
  sourceType: row.source_type,
  enabled: row.enabled,
  testPhone: row.test_phone,
  requireTimestamp: row.require_timestamp,
  rateLimitPerSecond: row.rate_limit_per_second,
  apiKeyHint: row.key_hint,
  createdAt: row.created_at.toISOString(),
});
