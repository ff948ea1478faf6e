import type { Sql } from "../../connect.ts";
import { siteColumns, type SiteRow } from "./row.ts";

export type SitePatch = Partial<
  Pick<SiteRow, "name" | "url" | "source_type" | "enabled" | "test_phone" | "require_timestamp" | "rate_limit_per_second">
>;

/** Changes what the patch names; undefined when the account has no such site. */
export async function updateSite(sql: Sql, accountId: string, id: string, patch: SitePatch): Promise<SiteRow | undefined> {
  // The id is written too, so that a patch may be empty.
  const [row] = await sql<SiteRow[]>`
    update site set ${sql({ ...patch, id })}
    where id = ${id} and account_id = ${accountId} and deleted_at is null
    returning ${siteColumns(sql)}`;
  return row;
}

/** Makes gateways read the site anew, for the one write that no trigger sees: a row that moves away from the site. */
export const touchSite = (sql: Sql, id: string) => sql`update site set config_version = config_version + 1 where id = ${id}`;
