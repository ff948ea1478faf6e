import type { Sql } from "../../connect.ts";

/** Fails with the foreign key's violation (23503) while a binding sends the template. */
export const deleteTemplateRow = (sql: Sql, accountId: string, id: string) =>
  sql`delete from template where id = ${id} and account_id = ${accountId}`;
