import type { Sql } from "../../connect.ts";
import type { BindingValues } from "./insert.ts";
import { bindingColumns, jsonValue, type BindingRow } from "./row.ts";

/** Writes the row as given; ask with its site locked, so that it is there. */
export async function updateBinding(sql: Sql, binding: BindingValues): Promise<BindingRow> {
  const [row] = await sql<[BindingRow]>`
    update binding set site_id = ${binding.site_id}, event = ${binding.event}, template_id = ${binding.template_id},
      recipient = ${jsonValue(sql, binding.recipient)}, variable_map = ${jsonValue(sql, binding.variable_map)}, enabled = ${binding.enabled},
      updated_at = now()
    where id = ${binding.id}
    returning ${bindingColumns(sql)}`;
  return row;
}
