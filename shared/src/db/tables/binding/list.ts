import type { Sql } from "../../connect.ts";
import { bindingColumns, type BindingRow } from "./row.ts";

export interface BindingFilter {
  siteId?: string | undefined;
  event?: string | undefined;
  templateId?: string | undefined;
}

/** A page of the account's bindings, newest first. */
export const listBindings = (sql: Sql, accountId: string, filter: BindingFilter, page: { before: string | null; limit: number }) =>
  sql<BindingRow[]>`
    select ${bindingColumns(sql)} from binding b join template t on t.id = b.template_id
    where b.site_id in (select id from site where account_id = ${accountId} ${filter.siteId === undefined ? sql`` : sql`and id = ${filter.siteId}`})
      ${filter.event === undefined ? sql`` : sql`and b.event = ${filter.event}`}
      ${filter.templateId === undefined ? sql`` : sql`and b.template_id = ${filter.templateId}`}
      ${page.before === null ? sql`` : sql`and b.id < ${page.before}`}
    order by b.id desc limit ${page.limit}`;
