import type { RecipientStrategy } from "../../../core/binding/recipient.ts";
import type { VariableMap } from "../../../core/varspec/schema.ts";
import type { Sql } from "../../connect.ts";

export interface BindingRow {
  id: string;
  site_id: string;
  event: string;
  template_id: string;
  recipient: RecipientStrategy;
  variable_map: VariableMap;
  enabled: boolean;
  created_at: Date;
  updated_at: Date;
}

export const bindingColumns = (sql: Sql) => sql`id, site_id, event, template_id, recipient, variable_map, enabled, created_at, updated_at`;

/** As text, so that a driver's own JSON encoding has no say in what is stored. */
export const jsonValue = (sql: Sql, value: RecipientStrategy | VariableMap) => sql`${JSON.stringify(value)}::text::json`;
