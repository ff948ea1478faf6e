import type { TemplateStatus } from "../../../core/template/definition.ts";
import type { Sql } from "../../connect.ts";
import { definitionValue, templateColumns, type TemplateRow } from "./row.ts";

type Changeable =
  | "platform_id"
  | "name"
  | "language"
  | "category"
  | "requested_category"
  | "status"
  | "status_source"
  | "reason"
  | "told_at"
  | "definition";

export type TemplatePatch = Partial<Pick<TemplateRow, Changeable>>;

/** Changes what the patch names; undefined when the template is gone or has another status than one of `only` by now. */
export async function updateTemplate(
  sql: Sql,
  id: string,
  { definition, ...columns }: TemplatePatch,
  only: readonly TemplateStatus[],
): Promise<TemplateRow | undefined> {
  // The id is written too, so that a patch may be empty.
  const [row] = await sql<TemplateRow[]>`
    update template set ${sql({ ...columns, id })}
      ${definition === undefined ? sql`` : sql`, definition = ${definitionValue(sql, definition)}`}, updated_at = now()
    where id = ${id} and status = any(${[...only]})
    returning ${templateColumns(sql)}`;
  return row;
}

/** Whether the platform is being asked for its approval: what it then tells may come before its answer. */
export const markSubmitting = async (sql: Sql, id: string, isSubmitting: boolean): Promise<void> =>
  void (await sql`update template set submitting_at = ${isSubmitting ? sql`now()` : null} where id = ${id}`);
