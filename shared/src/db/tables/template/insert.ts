import type { Sql } from "../../connect.ts";
import { definitionValue, templateColumns, type TemplateRow } from "./row.ts";

export type NewDraft = Pick<TemplateRow, "id" | "account_id" | "name" | "language" | "category" | "definition">;

/** Adds a draft; undefined when the account has a template of that name and language. */
export async function insertDraft(sql: Sql, template: NewDraft): Promise<TemplateRow | undefined> {
  const [row] = await sql<TemplateRow[]>`
    insert into template (id, account_id, name, language, category, requested_category, status, definition)
    values (${template.id}, ${template.account_id}, ${template.name}, ${template.language}, ${template.category}, ${template.category}, 'draft',
      ${definitionValue(sql, template.definition)})
    on conflict (account_id, name, language) do nothing
    returning ${templateColumns(sql)}`;
  return row;
}
