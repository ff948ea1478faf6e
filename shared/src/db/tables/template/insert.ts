import type { Sql } from "../../connect.ts";
import { definitionValue, templateColumns, type TemplateRow } from "./row.ts";

export type NewTemplate = Omit<TemplateRow, "synced_at" | "created_at" | "updated_at">;

/** Undefined when the account has a template of that name and language. */
export async function insertTemplate(sql: Sql, template: NewTemplate): Promise<TemplateRow | undefined> {
  const [row] = await sql<TemplateRow[]>`
    insert into template (id, account_id, platform_id, name, language, category, status, reason, definition, synced_at)
    values (${template.id}, ${template.account_id}, ${template.platform_id}, ${template.name}, ${template.language}, ${template.category},
      ${template.status}, ${template.reason}, ${definitionValue(sql, template.definition)},
      ${template.platform_id === null ? sql`null` : sql`now()`})
    on conflict (account_id, name, language) do nothing
    returning ${templateColumns(sql)}`;
  return row;
}
