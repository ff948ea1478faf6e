import { bindingProblems } from "shared/core/binding/problems";
import type { BindingRow } from "shared/db/tables/binding/row";

export const presentBinding = (row: BindingRow) => ({
  id: row.id,
  siteId: row.site_id,
  event: row.event,
  templateId: row.template_id,
  template: row.template,
  language: row.language,
  recipient: row.recipient,
  variableMap: row.variable_map,
  enabled: row.enabled,
  /** Why it cannot send yet, a sentence each. */
  problems: bindingProblems(row.variable_map, row.definition, row.status),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});
