import type { Sql, Pool } from "shared/db/connect";
import { closeUnfinished } from "shared/db/event/take-over";
import { readApplied, migrate, type MigrationFile, readMigrationFiles } from "shared/db/migrate";
import { ConfigurationError } from "shared/server/configuration-error";
import { type Checksums, type Manifest, manifestName, masterKeyName, type Member, readArchive } from "./archive.ts";
import {
  copyOut,
  listTablesToKeep,
  nameOf,
  type TableToKeep,
  listWeeks,
  advanceIdentity,
  beginLoading,
  copyIn,
  endLoading,
  findFilledTable,
  type TableWriter,
  makeWeeks,
} from "./copy.ts";

export interface KeyToBackUp {
  id: string;
  key: Buffer;
  /** Whether the key goes into the backup. */
  included: boolean;
}

export interface DumpInput {
  createdAt: Date;
  masterKey: KeyToBackUp;
  /** Called after each table. */
  onTable: (name: string, rows: number) => void;
}

type DumpedTable = Manifest["tables"][number];

/** The size of a file of rows, about: no table is ever whole in memory. */
const pieceBytes = 1_000_000;

/**
 * The whole database at one moment, as the files of a backup. `sql` is a transaction that sees one snapshot: writes go on meanwhile, without waiting and without
 * showing.
 */
export async function* dump(sql: Sql, { createdAt, masterKey, onTable }: DumpInput, checksums: Checksums): AsyncGenerator<Member> {
  const migrations = (await readApplied(sql)).map(({ number, name, checksum }) => ({ number, name, checksum }));
  const tables: DumpedTable[] = [];
  if (masterKey.included) yield { name: masterKeyName, data: Buffer.from(`${masterKey.key.toString("base64")}\n`) };
  for (const table of await listTablesToKeep(sql)) {
    const dumped: DumpedTable = { ...table, rows: 0, files: [] };
    yield* dumpTable(sql, table, `tables/${String(tables.length).padStart(3, "0")}-${nameOf(table)}`, dumped);
    tables.push(dumped);
    onTable(nameOf(table), dumped.rows);
  }
  const { id, included } = masterKey;
  const manifest: Manifest = {
    format: "tidings-backup",
    version: 1,
    createdAt: createdAt.toISOString(),
    migrations,
    tables,
    weeks: await listWeeks(sql),
    masterKey: { id, included },
    checksums,
  };
  yield { name: manifestName, data: Buffer.from(JSON.stringify(manifest, null, 2)) };
}

async function* dumpTable(sql: Sql, table: TableToKeep, folder: string, dumped: DumpedTable): AsyncGenerator<Member> {
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
  if (filled !== undefined) {
    throw new ConfigurationError([`${place} holds data already (in ${filled}): restore into another one; nothing was changed`]);
  }
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
export async function load(
  sql: Pool,
  file: string,
  manifest: Manifest,
  onTable: (name: string, rows: number) => void,
): Promise<{ closed: number }> {
  await migrate(sql, await migrationsOf(manifest));
  const closed = (await sql.begin(async (transaction) => {
    await makeWeeks(transaction, manifest.weeks);
    await beginLoading(transaction, manifest.tables);
    await copyTables(transaction, file, manifest, onTable);
    for (const table of manifest.tables) await advanceIdentity(transaction, table);
    const { events } = await closeUnfinished(transaction);
    await endLoading(transaction, manifest.tables);
    return events;
  })) as number;
  await migrate(sql);
  return { closed };
}

type LoadedTable = Manifest["tables"][number];

async function copyTables(sql: Sql, file: string, { tables }: Manifest, onTable: (name: string, rows: number) => void): Promise<void> {
  const tableOf = new Map(tables.flatMap((table) => table.files.map((name): [string, LoadedTable] => [name, table])));
  const open: { table: LoadedTable; writer: TableWriter }[] = [];
  const closeAllBut = async (table: LoadedTable | null): Promise<void> => {
    for (const one of open.splice(0)) {
      if (one.table === table) open.push(one);
      else await one.writer.end().then(() => onTable(nameOf(one.table), one.table.rows));
    }
  };
  for await (const { name, data } of readArchive(file)) {
    const table = tableOf.get(name);
    if (table === undefined) continue;
    await closeAllBut(table);
    const current = open[0] ?? { table, writer: await copyIn(sql, table) };
    open[0] = current;
    await current.writer.write(data);
  }
  await closeAllBut(null);
}
