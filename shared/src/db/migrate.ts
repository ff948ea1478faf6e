import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { weekMs } from "../core/durations.ts";
import { ConfigurationError } from "../server/configuration-error.ts";
import { defaultLargeBytes, takeOver, workAfter, workAhead } from "./migrate-ahead.ts";
import { patiently, shortly } from "./migrate-waits.ts";
import { type Pool, type Sql, codeOf, isLockTimeout } from "./statement.ts";

type AppliedMigration = Pick<MigrationFile, "number" | "name" | "checksum">;

// An advisory lock id that nobody else in the database uses.
export const migrationLock = 7_301_443_921;

/**
 * Brings the database to the newest schema and answers the names it applied. Any number of processes may do it at
 * once. What it does to many rows is done beforehand, while rows are written: new columns are filled, and indexes of tables of `largeBytes` and more are built. Throws `ConfigurationError` when the database was migrated by a newer version or by other files.
 */
export async function migrate(sql: Pool, files?: readonly MigrationFile[], largeBytes: number = defaultLargeBytes): Promise<string[]> {
  const known = files ?? (await readMigrationFiles());
  const applied: string[] = [];
  for (;;) {
    const { last, next } = findPlace(known, await readAppliedIfAny(sql));
    // Also where a migrator that was killed has left it.
    if (last !== undefined) await workAfter(sql, last.text);
    if (next === undefined) break;
    await workAhead(sql, next.text, largeBytes);
    if (await patiently(() => apply(sql, known, next))) applied.push(next.name);
  }
  if (files === undefined) await makePartitions(sql);
  return applied;
}

/** Throws `ConfigurationError` unless every migration that this version knows has been applied. */
export async function requireMigrated(sql: Sql): Promise<void> {
  const known = await readMigrationFiles();
  const applied = await readAppliedIfAny(sql);
  const missing = known.find((file) => !applied.some(({ number }) => number === file.number));
  if (missing !== undefined)
    throw new ConfigurationError([`DATABASE_URL: the database lacks ${missing.name}: run "npm run migrate" first`]);
}

/**
 * Applies `next`; false if another migrator has done so meanwhile: what follows it has its own work ahead. Each migration has its transaction, with which the
 * lock ends, so this also works behind a pooler that assigns connections by transaction.
 */
const apply = async (sql: Pool, known: readonly MigrationFile[], next: MigrationFile): Promise<boolean> =>
  sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${migrationLock}::bigint)`;
    await transaction`set local statement_timeout = 0`;
    await transaction`
      create table if not exists schema_migration (
        number integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`;
    if (findPlace(known, await readApplied(transaction)).next !== next) return false;
    await transaction.unsafe(shortly);
    await transaction.unsafe(takeOver(next.text)).simple();
    await transaction`insert into schema_migration (number, name, checksum) values (${next.number}, ${next.name}, ${next.checksum})`;
    return true;
  });

const readAppliedIfAny = async (sql: Sql): Promise<AppliedMigration[]> => {
  const [row] = await sql<{ exists: boolean }[]>`select to_regclass('schema_migration') is not null as exists`;
  return row?.exists === true ? readApplied(sql) : [];
};

const checkViolation = "23514";

/** The applied migrations, in order. */
export const readApplied = async (sql: Sql) => sql<AppliedMigration[]>`select number, name, checksum from schema_migration order by number`;

/** Where a database stands among the files: the last that was applied, and the one that follows it. */
function findPlace(known: readonly MigrationFile[], applied: readonly AppliedMigration[]) {
  for (const row of applied) {
    const file = known.find(({ number }) => number === row.number);
    if (file === undefined)
      throw new ConfigurationError([
        `the database is at migration ${row.name}, which this version does not have: run the newer version, or restore a backup from before it`,
      ]);
    if (file.checksum !== row.checksum)
      throw new ConfigurationError([
        `migration ${row.name} was applied with another content than ${file.name} has now: migrations are append-only, so restore the file or use another database`,
      ]);
  }
  return { last: known[applied.length - 1], next: known[applied.length] };
}

export interface MigrationFile {
  readonly number: number;
  /** The file's name, such as `0001_core.sql`. */
  readonly name: string;
  readonly text: string;
  /** The SHA-256 of the text in hex; line ends do not count, since a checkout may change them. */
  readonly checksum: string;
}

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** The folder in the sources, also when running from `dist`: SQL is not compiled, and both folders have the same depth. */
const migrationsFolder = fileURLToPath(new URL("../../src/db/migrations/", import.meta.url));

/** Every migration, in order. Throws when a number is missing or used twice. */
export async function readMigrationFiles(): Promise<MigrationFile[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith(".sql")).toSorted();
  const files = await Promise.all(names.map(readMigrationFile));
  for (const [index, file] of files.entries())
    if (file.number !== index + 1) throw new Error(`migration ${file.name} should be number ${index + 1}: number them without a gap`);
  return files;
}

async function readMigrationFile(name: string): Promise<MigrationFile> {
  const digits = fileName.exec(name)?.[1];
  if (digits === undefined) throw new Error(`migration ${name} should be named like 0001_what_it_does.sql`);
  const text = (await readFile(`${migrationsFolder}/${name}`, "utf8")).replaceAll("\r\n", "\n");
  return { number: Number(digits), name, text, checksum: createHash("sha256").update(text).digest("hex") };
}

const partitionedTables = ["event", "event_payload", "notification", "event_search"] as const;
const partitionLock = 7_301_443_922;

/**
 * Makes the weekly partitions from the week of `now` on, as far as they are missing. Running programs call it from time to time. One that cannot be made
 * at the moment is left for the next call; its rows go to the default partition until then.
 */
export async function makePartitions(sql: Pool, now: Date = new Date(), weeks = 5): Promise<void> {
  for (const parent of partitionedTables)
    for (let week = 0; week < weeks; week += 1) await makePartition(sql, parent, new Date(now.getTime() + week * weekMs));
}

async function makePartition(sql: Pool, parent: string, at: Date): Promise<void> {
  try {
    await sql.begin(async (transaction) => {
      await transaction`select pg_advisory_xact_lock(${partitionLock}::bigint)`;
      // A new partition locks the parent: it is better to try again later than to let every insert wait.
      await transaction`set local lock_timeout = '2s'`;
      await transaction`select make_week_partition(${parent}, ${at})`;
    });
  } catch (error) {
    // The default partition may already hold rows of that week.
    if (!isLockTimeout(error) && codeOf(error) !== checkViolation) throw error;
  }
}
