import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Sql } from "shared/db/connect";

/** A table's rows in PostgreSQL's COPY text format, which every version reads, in pieces of any size. */
export async function* copyOut(sql: Sql, table: TableToKeep): AsyncGenerator<Buffer> {
  const rows = await sql`copy (select ${sql(table.columns)} from ${sql(nameOf(table))}) to stdout`.readable();
  for await (const piece of rows as AsyncIterable<Buffer>) yield piece;
  // The driver pauses its connection while nobody reads, and stays paused when the rows end just then.
  rows._read(0);
}

/** Fills a table with pieces from `copyOut`. */
export interface TableWriter {
  write(piece: Buffer): Promise<void>;
  end(): Promise<void>;
}

/** `sql` is a transaction. */
export async function copyIn(sql: Sql, table: TableToKeep): Promise<TableWriter> {
  const rows = await sql`copy ${sql(nameOf(table))} (${sql(table.columns)}) from stdin`.writable();
  const done = finished(rows);
  done.catch(() => undefined);
  const endIsSent = whenEndIsSent(rows);
  return {
    write: async (piece) =>
      new Promise((resolve, reject) => {
        rows.write(piece, (error) => (error ? reject(error) : resolve()));
      }),
    end: async () => {
      rows.end();
      // The driver does not report that the last rows were refused, but the next statement finds the transaction broken.
      const next = endIsSent.then(async () => sql`select`).then(async () => done);
      await Promise.race([done, next]).catch((cause: unknown) => {
        throw new Error(`the rows of ${nameOf(table)} were refused; the database's log says why`, { cause });
      });
    },
  };
}

/** The driver takes no statement before the end of the rows is sent. */
const whenEndIsSent = async (rows: Writable): Promise<void> =>
  new Promise((resolve) => {
    const send = rows._final.bind(rows);
    rows._final = (callback) => {
      send(callback);
      resolve();
    };
  });

/** Moves the table's sequence past the copied rows. */
export async function advanceIdentity(sql: Sql, table: TableToKeep): Promise<void> {
  if (table.identity === null) return;
  await sql`
    select setval(pg_get_serial_sequence(${nameOf(table)}, ${table.identity}), greatest(1, max(${sql(table.identity)})), max(${sql(table.identity)}) is not null)
    from ${sql(nameOf(table))}`;
}

/** Empties the tables and disables their triggers, whose work the rows already contain. */
export async function beginLoading(sql: Sql, tables: readonly TableToKeep[]): Promise<void> {
  for (const table of tables) await sql`truncate ${sql(nameOf(table))} cascade`;
  for (const table of tables) await sql`alter table ${sql(nameOf(table))} disable trigger user`;
}

export async function endLoading(sql: Sql, tables: readonly TableToKeep[]): Promise<void> {
  for (const table of tables) await sql`alter table ${sql(nameOf(table))} enable trigger user`;
}

/** The first table that holds a row. */
export async function findFilledTable(sql: Sql, tables: readonly TableToKeep[]): Promise<string | undefined> {
  for (const table of tables) {
    const rows = await sql`select from ${sql(nameOf(table))} limit 1`;
    if (rows.length > 0) return nameOf(table);
  }
  return undefined;
}

/** A table that is backed up, with the rows of its partitions. */
export interface TableToKeep {
  schema: string;
  name: string;
  columns: string[];
  /** The column that a sequence fills; null when there is none. */
  identity: string | null;
}

interface FoundTable extends TableToKeep {
  /** As `regclass` prints them. */
  refers_to: string[];
}

/**
 * Every table of the service and the sandbox, each after the tables that it refers to. Unlogged tables are worthless after a crash and left out, and so is
 * the list of migrations, which the manifest holds.
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

/** The name as `regclass` prints it. */
export const nameOf = ({ schema, name }: Pick<TableToKeep, "schema" | "name">): string =>
  schema === "public" ? name : `${schema}.${name}`;

/** The weekly partitions by name, such as `event_2026w47`. */
export async function listWeeks(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where c.relnamespace = 'public'::regnamespace and c.relname ~ '_\\d{4}w\\d{2}$' order by c.relname`;
  return rows.map(({ name }) => name);
}

/** Makes those of these weekly partitions that are missing. */
export async function makeWeeks(sql: Sql, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await sql`select make_week_partition(${name.slice(0, -8)}, to_date(${name.slice(-7)}, 'IYYY"w"IW')::timestamptz)`;
  }
}
