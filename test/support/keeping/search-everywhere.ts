import type { PhonePattern } from "shared/core/phone-search";
import type { Pool } from "shared/db/connect";
import { names } from "shared/db/erasure/erase";

interface Column {
  place: string;
  schema: string;
  table: string;
  column: string;
  type: string;
}

/** Every table of the service and the sandbox, `schema.table` outside of public; partitions count as their table. */
export async function everyTable(sql: Pool): Promise<string[]> {
  return [...new Set((await everyColumn(sql)).map(({ schema, table }) => nameOf(schema, table)))];
}

/** Where a text that the pattern fits stands, as `table.column`: looks at every column of every table, whatever its type. */
export async function searchEverywhere(sql: Pool, pattern: string | PhonePattern): Promise<string[]> {
  const found: string[] = [];
  for (const { place, schema, table, column, type } of await everyColumn(sql)) {
    const text = type === "bytea" ? sql`encode(${sql(column)}, 'escape')` : sql`${sql(column)}::text`;
    const rows =
      await sql`select from ${sql(schema)}.${sql(table)} where ${typeof pattern === "string" ? sql`${text} ~ ${pattern}` : names(sql, text, pattern)} limit 1`;
    if (rows.length > 0) found.push(place);
  }
  return found;
}

async function everyColumn(sql: Pool): Promise<Column[]> {
  const rows = await sql<Omit<Column, "place">[]>`
    select n.nspname as schema, c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname in ('public', 'sandbox') and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
    order by n.nspname, c.relname, a.attnum`;
  return rows.map((row) => ({ ...row, place: `${nameOf(row.schema, row.table)}.${row.column}` }));
}

const nameOf = (schema: string, table: string): string => (schema === "public" ? table : `${schema}.${table}`);
