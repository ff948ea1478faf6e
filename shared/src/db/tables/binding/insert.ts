import type { Sql } from "../../connect.ts";
import { bindingColumns, jsonValue, type BindingRow } from "./row.ts";

export type BindingValues = Omit<BindingRow, "created_at" | "updated_at">;

export async function insertBinding(sql: Sql, binding: BindingValues): Promise<BindingRow> {
  const [row] = await sql<[BindingRow]>`
    insert into binding (id, site_id, event, template_id, recipient, variable_map, enabled)
    values (${binding.id}, ${binding.site_id}, ${binding.event}, ${binding.template_id}, ${jsonValue(sql, binding.recipient)},
      ${jsonValue(sql, binding.variable_map)}, ${binding.enabled})
    returning ${bindingColumns(sql)}`;
  return row;
}
