import type { Sql } from "../../connect.ts";
import { bindingColumns, type BindingRow } from "./row.ts";

export interface BindingFilter {
  siteId?: string | undefined;
  event?: string | undefined;
}

/** A page of the account's bindings, newest first. */
export const listBindings = (sql: Sql, accountId: string, filter: BindingFilter, page: { before: string | null; limit: number }) =>
  sql<BindingRow[]>`
    select ${bindingColumns(sql)} from binding
    where site_id in (select id from site where account_id = ${accountId} ${filter.siteId === undefined ? sql`` : sql`and id = ${filter.siteId}`})
      ${filter.event === undefined ? sql`` : sql`and event = ${filter.event}`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
