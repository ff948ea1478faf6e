import type { Sql } from "../../connect.ts";
import { templateColumns, type TemplateRow } from "./row.ts";

export async function findTemplate(sql: Sql, accountId: string, id: string): Promise<TemplateRow | undefined> {
  const [row] = await sql<TemplateRow[]>`select ${templateColumns(sql)} from template where id = ${id} and account_id = ${accountId}`;
  return row;
}

/** Whether a binding of any site sends it. */
export async function isTemplateBound(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select id from binding where template_id = ${id} limit 1`;
  return rows.length > 0;
}
