import type { Sql } from "../connect.ts";

/** A table whose rows a backup holds. Partitions belong to their table. */
export interface TableToKeep {
  schema: string;
  name: string;
  columns: string[];
  /** The column that a sequence fills, if one does. */
  identity: string | null;
}

interface FoundTable extends TableToKeep {
  /** As `regclass` prints them. */
  refers_to: string[];
}

/**
 * Every table of the service and the sandbox, each behind those that it refers to; without what is of no worth after a crash, and without the list of
 * migrations, which says how the others look.
 */
export async function listTablesToKeep(sql: Sql): Promise<TableToKeep[]> {
  const tables = await sql<FoundTable[]>`
    select n.nspname as schema, c.relname as name,
      (select json_agg(attname order by attnum) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      (select attname from pg_attribute where attrelid = c.oid and attidentity <> '' limit 1) as identity,
      (select coalesce(json_agg(distinct confrelid::regclass::text), '[]') from pg_constraint
        where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as refers_to
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'sandbox') and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
      and c.relname <> 'schema_migration'
    order by n.nspname, c.relname`;
  return inOrder(tables).map(({ schema, name, columns, identity }) => ({ schema, name, columns, identity }));
}

function inOrder(tables: readonly FoundTable[]): FoundTable[] {
  const sorted: FoundTable[] = [];
  const done = new Set<string>();
  for (let left = [...tables]; left.length > 0; left = left.filter((table) => !done.has(nameOf(table)))) {
    const ready = left.filter(({ refers_to }) => refers_to.every((table) => done.has(table)));
    if (ready.length === 0) throw new Error(`the tables ${left.map(nameOf).join(", ")} refer to each other in a circle`);
    for (const table of ready) done.add(nameOf(table));
    sorted.push(...ready);
  }
  return sorted;
}

/** As `regclass` prints it. */
export const nameOf = ({ schema, name }: Pick<TableToKeep, "schema" | "name">): string =>
  schema === "public" ? name : `${schema}.${name}`;
