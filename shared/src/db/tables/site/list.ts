import type { Sql } from "../../connect.ts";
import { siteColumns, type SiteRow } from "./row.ts";

/** A page of the account's sites, newest first. `before`: the id that the page starts after, null for the first. */
export const listSites = (sql: Sql, accountId: string, page: { before: string | null; limit: number }) =>
  sql<SiteRow[]>`
    select ${siteColumns(sql)} from site
    where account_id = ${accountId} and deleted_at is null ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
