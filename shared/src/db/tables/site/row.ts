import type { SourceType } from "../../../core/input/site.ts";
import type { Sql } from "../../connect.ts";

/** A site without its secrets. `key_hint` is of the current API key; `last_event_id` carries when the last event came, null before the first. */
export interface SiteRow {
  id: string;
  account_id: string;
  name: string;
  url: string;
  source_type: SourceType;
  enabled: boolean;
  test_phone: string | null;
  require_timestamp: boolean;
  rate_limit_per_second: number | null;
  key_hint: string;
  last_event_id: string | null;
  created_at: Date;
}

export const siteColumns = (sql: Sql) =>
  sql`id, account_id, name, url, source_type, enabled, test_phone, require_timestamp, rate_limit_per_second, created_at,
    (select hint from site_secret where site_id = site.id and kind = 'api_key' and expires_at is null) as key_hint,
    (select event.id from event where event.site_id = site.id order by event.id desc limit 1) as last_event_id`;
