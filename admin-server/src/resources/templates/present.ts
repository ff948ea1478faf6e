import { templateWarnings } from "shared/core/template/check";
import { slotCounts, slotNames } from "shared/core/template/slots";
import type { TemplateHistoryRow } from "shared/db/template";
import type { TemplateRow } from "shared/db/template";
import type { TemplatePollRow } from "shared/db/template-poll";

export const presentTemplate = ({ definition, ...row }: TemplateRow) => ({
  id: row.id,
  /** The platform's own id; null while it has none. */
  platformId: row.platform_id,
  name: row.name,
  language: row.language,
  /** The platform's, which may differ from the one that was asked for (null for a template that was made elsewhere). */
  category: row.category,
  requestedCategory: row.requested_category,
  status: row.status,
  /** Why it was rejected or paused, in the platform's words. */
  reason: row.reason,
  /** The platform's score, such as `GREEN`; null before it has said. */
  quality: row.quality,
  qualityAt: row.quality_at && row.quality_at.toISOString(),
  slots: slotCounts(definition),
  /** What the template calls its slots, in slot order: a variable map names them by their place here, from 1. */
  slotNames: slotNames(definition),
  /** What may look or go otherwise than meant. */
  warnings: templateWarnings(definition),
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

/** One change of status. `source`: what was done here (create, submit, delete), or how the platform told it (sync, poll, callback). */
export const presentChange = ({ at, from_status, to_status, reason, source }: TemplateHistoryRow) => ({
  at: at.toISOString(),
  from: from_status,
  to: to_status,
  reason,
  source,
});

/** All null while the account is not connected. */
export const presentPoll = (row: TemplatePollRow | undefined) => ({
  lastAt: row?.last_at?.toISOString() ?? null,
  nextAt: row?.due_at.toISOString() ?? null,
  problem: row?.problem ?? null,
});
