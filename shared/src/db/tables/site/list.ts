import type { Sql } from "../../connect.ts";
import { containing } from "../../containing.ts";
import { siteColumns, type SiteRow } from "./row.ts";

export interface SiteFilter {
  /** Part of the name or of the URL, in any case. */
  search?: string | undefined;
}

/** A page of the account's sites, newest first. `before`: the id that the page starts after, null for the first. */
export const listSites = (sql: Sql, accountId: string, { search }: SiteFilter, page: { before: string | null; limit: number }) =>
  sql<SiteRow[]>`
    select ${siteColumns(sql)} from site
    where account_id = ${accountId} and deleted_at is null
      ${search === undefined ? sql`` : sql`and (name ilike ${containing(search)} or url ilike ${containing(search)})`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
