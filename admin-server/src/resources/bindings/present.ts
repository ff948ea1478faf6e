import { bindingProblems } from "shared/core/binding";
import type { Role } from "shared/core/role";
import type { BindingRow } from "shared/db/binding";
import { shownPhone, shownValue } from "../../trpc/shown-phone.ts";

export const presentBinding = (row: BindingRow, role: Role) => ({
  id: row.id,
  siteId: row.site_id,
  event: row.event,
  templateId: row.template_id,
  template: row.template,
  language: row.language,
  templateStatus: row.status,
  recipient: presentRecipientOf(row.recipient, role),
  variableMap: shownValue(row.variable_map, role),
  enabled: row.enabled,
  /** Why it cannot send yet, a sentence each. */
  problems: bindingProblems(row.variable_map, row.definition, row.status, row.template_shape),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

const presentRecipientOf = (recipient: BindingRow["recipient"], role: Role): BindingRow["recipient"] =>
  recipient.strategy === "static_phone" ? { ...recipient, phone: shownPhone(recipient.phone, role) } : recipient;
