import { templateStatuses, type TemplateStatus } from "../../../core/template/definition.ts";
import type { Sql } from "../../connect.ts";

/** How many templates the account has in each status. */
export async function countTemplates(sql: Sql, accountId: string): Promise<Record<TemplateStatus, number>> {
  const rows = await sql<{ status: TemplateStatus; count: number }[]>`
    select status, count(*)::int as count from template where account_id = ${accountId} group by status`;
  const none = Object.fromEntries(templateStatuses.map((status) => [status, 0])) as Record<TemplateStatus, number>;
  return { ...none, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
}
