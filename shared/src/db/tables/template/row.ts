import type { TemplateDefinition, TemplateStatus } from "../../../core/template/definition.ts";
import type { Sql } from "../../connect.ts";
import { storableJson } from "../../storable-json.ts";

export interface TemplateRow {
  id: string;
  account_id: string;
  /** The platform's own id; null while a draft. */
  platform_id: string | null;
  name: string;
  language: string;
  category: string;
  status: TemplateStatus;
  reason: string | null;
  definition: TemplateDefinition;
  synced_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export const templateColumns = (sql: Sql) =>
  sql`id, account_id, platform_id, name, language, category, status, reason, definition, synced_at, created_at, updated_at`;

/** As text, so that a driver's own JSON encoding has no say in what is stored. */
export const definitionValue = (sql: Sql, definition: TemplateDefinition) => sql`${storableJson(definition)}::text::json`;
