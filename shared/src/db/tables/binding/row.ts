import type { RecipientStrategy } from "../../../core/binding/recipient.ts";
import type { TemplateDefinition, TemplateStatus } from "../../../core/template/definition.ts";
import type { SlotNames } from "../../../core/template/slots.ts";
import type { VariableMap } from "../../../core/varspec/schema.ts";
import type { Sql } from "../../connect.ts";

/** What is written of a binding. */
export interface BindingValues {
  id: string;
  site_id: string;
  event: string;
  template_id: string;
  recipient: RecipientStrategy;
  variable_map: VariableMap;
  /** The template's slots when the map was last saved; null for bindings older than this note. */
  template_shape: SlotNames | null;
  enabled: boolean;
}

/** A binding with what it takes to see its problems. */
export interface BindingRow extends BindingValues {
  created_at: Date;
  updated_at: Date;
  template: string;
  language: string;
  status: TemplateStatus;
  definition: TemplateDefinition;
}

/** Of `binding b` joined with `template t`. */
export const bindingColumns = (sql: Sql) =>
  sql`b.id, b.site_id, b.event, b.template_id, b.recipient, b.variable_map, b.template_shape, b.enabled, b.created_at, b.updated_at,
    t.name as template, t.language, t.status, t.definition`;

/** As text, so that a driver's own JSON encoding has no say in what is stored. */
export const jsonValue = (sql: Sql, value: RecipientStrategy | VariableMap | SlotNames | null) =>
  sql`${value === null ? null : JSON.stringify(value)}::text::json`;
