import type { Sql } from "../../connect.ts";

export const renameAccount = (sql: Sql, id: string, name: string) => sql`update account set name = ${name} where id = ${id}`;
