import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { PendingQuery, Row } from "postgres";
import { closeUnfinished } from "shared/db/event/take-over";
import { readApplied, migrate, type MigrationFile, readMigrationFiles } from "shared/db/migrate";
import type { Pool, Sql } from "shared/db/statement";
import { ConfigurationError } from "shared/server/configuration-error";
import { authenticate, type Checksums, type Manifest, manifestName, masterKeyName, type Member, readArchive, sha256 } from "./archive.ts";

/** A table of a backup. */
type LoadedTable = Manifest["tables"][number];

type OnTable = (name: string, rows: number) => void;

interface Dumping {
  createdAt: Date;
  masterKey: { id: string; key: Buffer; included: boolean };
  onTable: OnTable;
}

/** The size of a file of rows, about: no table is ever whole in memory. */
const pieceBytes = 1_000_000;

/**
 * The whole database at one moment, as the files of a backup. `sql` is a transaction that sees one snapshot: writes go on meanwhile, without waiting, and
 * do not show in the backup. `included`: the key goes into the backup. `onTable` is called after each table.
 */
export async function* dump(sql: Sql, { createdAt, masterKey, onTable }: Dumping, checksums: Checksums): AsyncGenerator<Member> {
  const migrations = (await readApplied(sql)).map(({ number, name, checksum }) => ({ number, name, checksum }));
  const tables: LoadedTable[] = [];
  if (masterKey.included) yield { name: masterKeyName, data: Buffer.from(`${masterKey.key.toString("base64")}\n`) };
  for (const table of await listTablesToKeep(sql)) {
    const dumped: LoadedTable = { ...table, rows: 0, files: [] };
    yield* dumpTable(sql, table, `tables/${String(tables.length).padStart(3, "0")}-${nameOf(table)}`, dumped);
    tables.push(dumped);
    onTable(nameOf(table), dumped.rows);
  }
  const { id, included } = masterKey;
  const manifest: Manifest = {
    format: "tidings-backup",
    version: 2,
    createdAt: createdAt.toISOString(),
    migrations,
    tables,
    weeks: await listWeeks(sql),
    masterKey: { id, included },
    checksums,
  };
  const data = Buffer.from(JSON.stringify(manifest, null, 2));
  yield { name: manifestName, data };
  yield authenticate(data, masterKey.key);
}

async function* dumpTable(sql: Sql, table: TableToKeep, folder: string, dumped: LoadedTable): AsyncGenerator<Member> {
  const file = (pieces: Buffer[]): Member => {
    const data = Buffer.concat(pieces);
    const name = `${folder}/${String(dumped.files.length).padStart(6, "0")}.copy`;
    dumped.files.push(name);
    // One line per row: COPY writes a line break within a value as `\n`.
    dumped.rows += data.reduce((count, byte) => count + Number(byte === 10), 0);
    return { name, data };
  };
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of copyOut(sql, table)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < pieceBytes) continue;
    yield file(pieces);
    [pieces, bytes] = [[], 0];
  }
  if (bytes > 0) yield file(pieces);
}

/** The migrations of the backup's database. Throws when this version lacks one of them, or has another content for it. */
export async function migrationsOf({ migrations }: Manifest): Promise<MigrationFile[]> {
  const known = await readMigrationFiles();
  const strange = migrations.find(({ number, checksum }) => known[number - 1]?.checksum !== checksum);
  if (strange === undefined) return known.slice(0, migrations.length);
  const why =
    strange.number > known.length
      ? "which this version does not have: restore it with the newer version"
      : "which has another content here";
  throw new ConfigurationError([`the backup is of a database at migration ${strange.name}, ${why}`]);
}

/** Throws when the database holds data, or has more migrations than the backup's. `place` names the database in the message. */
export async function requireEmpty(sql: Pool, { migrations }: Manifest, place: string): Promise<void> {
  const [there] = await sql<[{ there: boolean }]>`select to_regclass('schema_migration') is not null as there`;
  if (!there.there) return;
  const filled = await findFilledTable(sql, await listTablesToKeep(sql));
  if (filled !== undefined)
    throw new ConfigurationError([`${place} holds data already (in ${filled}): restore into another one; nothing was changed`]);
  if ((await readApplied(sql)).length > migrations.length) {
    throw new ConfigurationError([
      `${place} is empty but set up for a newer version than the backup's: restore into one without any table`,
    ]);
  }
}

/**
 * Loads a verified backup into an empty database, all or nothing, and migrates it to this version. Events that were under way when the backup was made are
 * closed, so that nothing is sent twice; `closed` counts them.
 */
export async function load(sql: Pool, file: string, manifest: Manifest, onTable: OnTable, identities: readonly string[] = []) {
  await migrate(sql, await migrationsOf(manifest));
  const closed = (await sql.begin(async (transaction) => {
    await makeWeeks(transaction, manifest.weeks);
    // The rows already contain the work of the tables' triggers.
    for (const table of manifest.tables) await transaction`truncate ${transaction(nameOf(table))} cascade`;
    for (const table of manifest.tables) await transaction`alter table ${transaction(nameOf(table))} disable trigger user`;
    await copyTables(transaction, readArchive(file, identities), manifest, onTable);
    for (const table of manifest.tables) await advanceIdentity(transaction, table);
    const { events } = await closeUnfinished(transaction);
    for (const table of manifest.tables) await transaction`alter table ${transaction(nameOf(table))} enable trigger user`;
    return events;
  })) as number;
  await migrate(sql);
  return { closed };
}

async function copyTables(sql: Sql, members: AsyncIterable<Member>, { tables, checksums }: Manifest, onTable: OnTable) {
  const tableOf = new Map(tables.flatMap((table) => table.files.map((name): [string, LoadedTable] => [name, table])));
  let open = null as { table: LoadedTable; writer: Awaited<ReturnType<typeof copyIn>> } | null;
  const close = async (): Promise<void> => {
    await open?.writer.end();
    if (open !== null) onTable(nameOf(open.table), open.table.rows);
  };
  for await (const { name, data } of members) {
    const table = tableOf.get(name);
    if (table === undefined) continue;
    // The file is read a second time, and somebody may have replaced it meanwhile.
    if (sha256(data) !== checksums[name])
      throw new ConfigurationError(["the backup was changed while it was restored: nothing was loaded, start again"]);
    if (open?.table !== table) {
      await close();
      open = { table, writer: await copyIn(sql, table) };
    }
    await open.writer.write(data);
  }
  await close();
}

/** A table's rows in PostgreSQL's COPY text format, which every version reads, in pieces of any size. */
export const copyOut = (sql: Sql, table: TableToKeep): AsyncGenerator<Buffer> =>
  piecesOf(sql`copy (select ${sql(table.columns)} from ${sql(nameOf(table))}) to stdout`);

/** The rows that a COPY statement answers. */
export async function* piecesOf(copy: PendingQuery<Row[]>): AsyncGenerator<Buffer> {
  const rows = await copy.readable();
  for await (const piece of rows as AsyncIterable<Buffer>) yield piece;
  // The driver pauses its connection while nobody reads, and stays paused when the rows end just then.
  rows._read(0);
}

/** Fills a table with pieces from `copyOut`. `sql` is a transaction. */
export async function copyIn(sql: Sql, table: Omit<TableToKeep, "identity">) {
  const rows = await sql`copy ${sql(nameOf(table))} (${sql(table.columns)}) from stdin`.writable();
  const done = finished(rows);
  done.catch(() => undefined);
  const endIsSent = whenEndIsSent(rows);
  return {
    write: async (piece: Buffer) =>
      new Promise<void>((resolve, reject) => {
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
async function advanceIdentity(sql: Sql, table: TableToKeep): Promise<void> {
  if (table.identity === null) return;
  await sql`
    select setval(pg_get_serial_sequence(${nameOf(table)}, ${table.identity}), greatest(1, max(${sql(table.identity)})), max(${sql(table.identity)}) is not null)
    from ${sql(nameOf(table))}`;
}

/** The first table that holds a row. */
async function findFilledTable(sql: Sql, tables: readonly TableToKeep[]): Promise<string | undefined> {
  for (const table of tables) {
    const rows = await sql`select from ${sql(nameOf(table))} limit 1`;
    if (rows.length > 0) return nameOf(table);
  }
  return undefined;
}

/** A table that is backed up, with the rows of its partitions. `identity`: the column that a sequence fills; null when there is none. */
export type TableToKeep = Omit<LoadedTable, "rows" | "files">;

interface FoundTable extends TableToKeep {
  /** The names as `regclass` prints them. */
  refers_to: string[];
}

/**
 * Every table of the service and the sandbox, each after the tables that it refers to. Unlogged tables, which are worthless after a crash, are left out,
 * and so are the list of migrations, which the manifest holds, and the words that events are found by, which are learned anew.
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
      and c.relname not in ('schema_migration', 'event_search', 'search_learning')
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
const nameOf = ({ schema, name }: Pick<TableToKeep, "schema" | "name">): string => (schema === "public" ? name : `${schema}.${name}`);

/** The weekly partitions by name, such as `event_2026w47`. */
export async function listWeeks(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where c.relnamespace = 'public'::regnamespace and c.relname ~ '_\\d{4}w\\d{2}$' order by c.relname`;
  return rows.map(({ name }) => name);
}

/** Makes those of these weekly partitions that are missing. */
export async function makeWeeks(sql: Sql, names: readonly string[]): Promise<void> {
  for (const name of names)
    await sql`select make_week_partition(${name.slice(0, -8)}, to_date(${name.slice(-7)}, 'IYYY"w"IW')::timestamptz)`;
}
