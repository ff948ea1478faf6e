import { advanceIdentity, beginLoading, copyIn, endLoading, findFilledTable, type TableWriter } from "shared/db/backup/copy";
import { listTablesToKeep, nameOf } from "shared/db/backup/list-tables";
import { makeWeeks } from "shared/db/backup/partitions";
import type { Pool, Sql } from "shared/db/connect";
import { closeUnfinished } from "shared/db/event/take-over";
import { migrate, readApplied } from "shared/db/migrate";
import { type MigrationFile, readMigrationFiles } from "shared/db/migrate";
import { ConfigurationError } from "shared/server/configuration-error";
import type { Manifest } from "./manifest.ts";
import { readArchive } from "./read-archive.ts";

/** The migrations that the backup's database had. Throws when this version does not have them, or has others. */
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

/** Throws unless the database holds nothing, and is not further than the backup's. `place` is how the message calls it. */
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
 * Loads a verified backup into an empty database, all or nothing, and brings it up to this version. What was under way when the backup was made is closed:
 * nothing is sent twice. Answers how many events that were.
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
