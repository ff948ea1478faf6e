import type { Sql } from "../connect.ts";

/** The weeks that have a partition of their own, such as `event_2026w47`. */
export const listWeeks = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where c.relnamespace = 'public'::regnamespace and c.relname ~ '_\\d{4}w\\d{2}$' order by c.relname`;
  return rows.map(({ name }) => name);
};

/** Makes the partitions of these weeks, as far as they are missing. */
export async function makeWeeks(sql: Sql, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await sql`select make_week_partition(${name.slice(0, -8)}, to_date(${name.slice(-7)}, 'IYYY"w"IW')::timestamptz)`;
  }
}
