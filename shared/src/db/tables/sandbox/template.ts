import type { Sql } from "../../connect.ts";

export interface SandboxTemplateRow {
  id: string;
  waba_id: string;
  /** JSON. */
  record: string;
}

/** Every template of every account, oldest first. */
export const listSandboxTemplates = (sql: Sql) => sql<SandboxTemplateRow[]>`select id, waba_id, record from sandbox.template order by seq`;

export async function saveSandboxTemplate(sql: Sql, row: SandboxTemplateRow): Promise<void> {
  await sql`
    insert into sandbox.template (id, waba_id, record) values (${row.id}, ${row.waba_id}, ${row.record})
    on conflict (id) do update set record = excluded.record`;
}

export async function deleteSandboxTemplate(sql: Sql, id: string): Promise<void> {
  await sql`delete from sandbox.template where id = ${id}`;
}
