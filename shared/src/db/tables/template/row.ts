import type { TemplateDefinition, TemplateStatus } from "../../../core/template/definition.ts";
import type { Sql } from "../../connect.ts";
import { storableJson } from "../../storable-json.ts";

/** What brought a status: something done here, the platform's list (on demand or by the hour), its callback. */
export type StatusSource = "create" | "submit" | "delete" | "sync" | "poll" | "callback";

export interface TemplateRow {
  id: string;
  account_id: string;
  /** The platform's own id; null while a draft. */
  platform_id: string | null;
  name: string;
  language: string;
  /** The platform's; until it has decided, the one that is asked for. */
  category: string;
  /** What was asked for here; null when it was made elsewhere. */
  requested_category: string | null;
  status: TemplateStatus;
  /** Who told the status: what its history says. */
  status_source: StatusSource;
  reason: string | null;
  quality: string | null;
  quality_at: Date | null;
  told_at: Date | null;
  definition: TemplateDefinition;
  synced_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export const templateColumns = (sql: Sql) =>
  sql`id, account_id, platform_id, name, language, category, requested_category, status, status_source, reason, quality, quality_at, told_at,
    definition, synced_at, created_at, updated_at`;

/** As text, so that a driver's own JSON encoding has no say in what is stored. */
export const definitionValue = (sql: Sql, definition: TemplateDefinition) => sql`${storableJson(definition)}::text::json`;
