import type { Sql } from "../../connect.ts";
import { jsonValue, type BindingValues } from "./row.ts";

/** Writes the row as given. */
export const updateBinding = (sql: Sql, binding: BindingValues) =>
  sql`
    update binding set site_id = ${binding.site_id}, event = ${binding.event}, template_id = ${binding.template_id},
      recipient = ${jsonValue(sql, binding.recipient)}, variable_map = ${jsonValue(sql, binding.variable_map)},
      template_shape = ${jsonValue(sql, binding.template_shape)}, enabled = ${binding.enabled},
      updated_at = now()
    where id = ${binding.id}`;
