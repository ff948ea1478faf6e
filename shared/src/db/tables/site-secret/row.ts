import type { Sql } from "../../connect.ts";

export type SiteSecretKind = "api_key" | "webhook_secret";

/** A site's API key or webhook secret, without what could be used. `expires_at` is null for the current one. */
export interface SiteSecretRow {
  id: string;
  kind: SiteSecretKind;
  hint: string;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

export const siteSecretColumns = (sql: Sql) => sql`id, kind, hint, expires_at, last_used_at, created_at`;
