import type { Sql } from "../../connect.ts";
import { templateColumns, type TemplateRow } from "./row.ts";

export async function findTemplate(sql: Sql, accountId: string, id: string): Promise<TemplateRow | undefined> {
  const [row] = await sql<TemplateRow[]>`select ${templateColumns(sql)} from template where id = ${id} and account_id = ${accountId}`;
  return row;
}

/** The account's templates of these ids. */
export const findTemplates = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<TemplateRow[]>`
    select ${templateColumns(sql)} from template where id = any(${[...ids]}::uuid[]) and account_id = ${accountId}`;

/** Whether a binding of any site sends it. */
export async function isTemplateBound(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select id from binding where template_id = ${id} limit 1`;
  return rows.length > 0;
}

/** Every template of the account, held until the transaction ends. The account's row is held first, so that those who pull at the same time take turns. */
export async function lockAllTemplates(sql: Sql, accountId: string): Promise<TemplateRow[]> {
  await sql`select id from account where id = ${accountId} for no key update`;
  return await sql<TemplateRow[]>`
    select ${templateColumns(sql)} from template where account_id = ${accountId} order by id for no key update`;
}
