import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Sql } from "../connect.ts";
import { nameOf, type TableToKeep } from "./list-tables.ts";

/** A table's rows as PostgreSQL's own text, which every version reads, in pieces of any size. */
export async function* copyOut(sql: Sql, table: TableToKeep): AsyncGenerator<Buffer> {
  const rows = await sql`copy (select ${sql(table.columns)} from ${sql(nameOf(table))}) to stdout`.readable();
  for await (const piece of rows as AsyncIterable<Buffer>) yield piece;
  // The driver stops its connection while nobody reads, and would not go on when the rows end just then.
  rows._read(0);
}

/** Fills a table with rows that `copyOut` has given. */
export interface TableWriter {
  write(piece: Buffer): Promise<void>;
  end(): Promise<void>;
}

/** Within a transaction. */
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
      // The driver tells nobody when the last rows are refused, but the statement behind them finds the transaction broken.
      const next = endIsSent.then(async () => sql`select`).then(async () => done);
      await Promise.race([done, next]).catch((cause: unknown) => {
        throw new Error(`the rows of ${nameOf(table)} were refused; the database's log says why`, { cause });
      });
    },
  };
}

/** The driver takes no statement before. */
const whenEndIsSent = async (rows: Writable): Promise<void> =>
  new Promise((resolve) => {
    const send = rows._final.bind(rows);
    rows._final = (callback) => {
      send(callback);
      resolve();
    };
  });

/** Lets the table's sequence go on behind what was copied in. */
export async function advanceIdentity(sql: Sql, table: TableToKeep): Promise<void> {
  if (table.identity === null) return;
  await sql`
    select setval(pg_get_serial_sequence(${nameOf(table)}, ${table.identity}), greatest(1, max(${sql(table.identity)})), max(${sql(table.identity)}) is not null)
    from ${sql(nameOf(table))}`;
}

/** Empties the tables, and has none of their triggers do anything, or do what they do again. */
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
