import type { Sql } from "./connect.ts";

/** The database's clock: the only one to compare with what the database has written. */
export async function databaseNow(sql: Sql): Promise<Date> {
  const [row] = await sql<[{ now: Date }]>`select clock_timestamp() as now`;
  return row.now;
}
