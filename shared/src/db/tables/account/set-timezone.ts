import type { Sql } from "../../connect.ts";

export const setTimezone = (sql: Sql, id: string, timezone: string) => sql`update account set timezone = ${timezone} where id = ${id}`;
