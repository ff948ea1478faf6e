import type { Sql } from "../../connect.ts";
import type { TemplateRow } from "./row.ts";

/** Another language of the template's name that the platform has under another category. */
export async function findOtherCategory(
  sql: Sql,
  { id, account_id, name, category }: Pick<TemplateRow, "id" | "account_id" | "name" | "category">,
): Promise<Pick<TemplateRow, "language" | "category"> | undefined> {
  const [row] = await sql<Pick<TemplateRow, "language" | "category">[]>`
    select language, category from template
    where account_id = ${account_id} and name = ${name} and id <> ${id} and platform_id is not null and category not in (${category}, '')
    order by language limit 1`;
  return row;
}
