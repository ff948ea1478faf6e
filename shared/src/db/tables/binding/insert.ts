import type { Sql } from "../../connect.ts";
import { jsonValue, type BindingValues } from "./row.ts";

export const insertBinding = (sql: Sql, binding: BindingValues) =>
  sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map, template_shape, enabled)
    values (${binding.id}, ${binding.site_id}, ${binding.event}, ${binding.template_id}, ${jsonValue(sql, binding.recipient)},
      ${jsonValue(sql, binding.variable_map)}, ${jsonValue(sql, binding.template_shape)}, ${binding.enabled})`;
