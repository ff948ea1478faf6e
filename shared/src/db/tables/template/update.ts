import type { TemplateStatus } from "../../../core/template/definition.ts";
import type { Sql } from "../../connect.ts";
import { definitionValue, templateColumns, type TemplateRow } from "./row.ts";

export type TemplatePatch = Partial<Pick<TemplateRow, "platform_id" | "name" | "language" | "category" | "status" | "reason" | "definition">>;

/** Changes what the patch names; undefined when the template is gone or its status is none of `while`. */
export async function updateTemplate(
  sql: Sql,
  id: string,
  patch: TemplatePatch,
  only: { while: readonly TemplateStatus[] },
): Promise<TemplateRow | undefined> {
  const { definition, ...columns } = patch;
  const [row] = await sql<TemplateRow[]>`
    update template set updated_at = now()
      ${definition === undefined ? sql`` : sql`, definition = ${definitionValue(sql, definition)}`}
      ${Object.keys(columns).length === 0 ? sql`` : sql`, ${sql(columns)}`}
    where id = ${id} and status = any(${[...only.while]})
    returning ${templateColumns(sql)}`;
  return row;
}

/** Writes what the platform says of a template that the account has. */
export const writeSyncedTemplate = (sql: Sql, row: Omit<TemplateRow, "account_id" | "name" | "language" | "synced_at" | "created_at" | "updated_at">) =>
  sql`
    update template set platform_id = ${row.platform_id}, category = ${row.category}, status = ${row.status}, reason = ${row.reason},
      definition = ${definitionValue(sql, row.definition)}, synced_at = now(), updated_at = now()
    where id = ${row.id}`;
