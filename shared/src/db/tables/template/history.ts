import type { TemplateStatus } from "../../../core/template/definition.ts";
import type { Sql } from "../../connect.ts";
import type { StatusSource } from "./row.ts";

/** One change of a template's status; a trigger writes it. */
export interface TemplateHistoryRow {
  at: Date;
  /** Null for the first. */
  from_status: TemplateStatus | null;
  to_status: TemplateStatus;
  reason: string | null;
  source: StatusSource;
}

/** Newest first; a hundred at most are kept. */
export const listTemplateHistory = (sql: Sql, templateId: string) =>
  sql<TemplateHistoryRow[]>`
    select at, from_status, to_status, reason, source from template_history where template_id = ${templateId} order by id desc`;
