import type { Sql } from "../../connect.ts";

export const deleteSiteRecipient = (sql: Sql, id: string) => sql`delete from site_recipient where id = ${id}`;
