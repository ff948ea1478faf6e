import type { Sql } from "../../connect.ts";

export const deleteBinding = (sql: Sql, id: string) => sql`delete from binding where id = ${id}`;
