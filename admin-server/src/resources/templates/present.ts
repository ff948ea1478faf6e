import { slotCounts } from "shared/core/template/slots";
import type { TemplateRow } from "shared/db/tables/template/row";

export const presentTemplate = ({ definition, ...row }: TemplateRow) => ({
  id: row.id,
  /** The platform's own id; null while it has none. */
  platformId: row.platform_id,
  name: row.name,
  language: row.language,
  category: row.category,
  status: row.status,
  /** Why it was rejected or paused, in the platform's words. */
  reason: row.reason,
  slots: slotCounts(definition),
  parameterFormat: definition.parameterFormat,
  header: definition.header,
  body: definition.body,
  footer: definition.footer,
  buttons: definition.buttons,
  examples: definition.examples,
  syncedAt: row.synced_at && row.synced_at.toISOString(),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});
