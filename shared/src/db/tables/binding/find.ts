import type { Sql } from "../../connect.ts";
import { bindingColumns, type BindingRow } from "./row.ts";

export async function findBinding(sql: Sql, accountId: string, id: string): Promise<BindingRow | undefined> {
  const [row] = await sql<BindingRow[]>`
    select ${bindingColumns(sql)} from binding b join template t on t.id = b.template_id
    where b.id = ${id} and b.site_id in (select id from site where account_id = ${accountId})`;
  return row;
}
