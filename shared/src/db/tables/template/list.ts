import type { TemplateStatus } from "../../../core/template/definition.ts";
import type { Sql } from "../../connect.ts";
import { containing } from "../../containing.ts";
import { templateColumns, type TemplateRow } from "./row.ts";

export interface TemplateFilter {
  status?: TemplateStatus | undefined;
  /** Part of the name or of the body, in any case. */
  search?: string | undefined;
}

/** A page of the account's templates, newest first. */
export const listTemplateRows = (sql: Sql, accountId: string, filter: TemplateFilter, page: { before: string | null; limit: number }) =>
  sql<TemplateRow[]>`
    select ${templateColumns(sql)} from template
    where account_id = ${accountId}
      ${filter.status === undefined ? sql`` : sql`and status = ${filter.status}`}
      ${filter.search === undefined ? sql`` : sql`and (name ilike ${containing(filter.search)} or definition ->> 'body' ilike ${containing(filter.search)})`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
