import { ConfigurationError } from "../server/configuration-error.ts";
import type { Pool, Sql } from "./connect.ts";
import { type MigrationFile, readMigrationFiles } from "./migration-file.ts";
import { makePartitions } from "./partitions.ts";

interface AppliedMigration {
  number: number;
  name: string;
  checksum: string;
}

// Any number that nobody else in the database uses as an advisory lock.
const LOCK = 7_301_443_921;

/**
 * Brings the database to the newest schema and answers the names it applied. Any number of processes may do it at
 * once. Throws `ConfigurationError` when the database was migrated by a newer version or by other files.
 */
export const migrate = async (sql: Pool, files?: readonly MigrationFile[]): Promise<string[]> => {
  const known = files ?? (await readMigrationFiles());
  const applied: string[] = [];
  for (;;) {
    const name = await applyNext(sql, known);
    if (name === undefined) break;
    applied.push(name);
  }
  if (files === undefined) await makePartitions(sql);
  return applied;
};

/** Throws `ConfigurationError` unless every migration that this version knows has been applied. */
export const requireMigrated = async (sql: Sql): Promise<void> => {
  const known = await readMigrationFiles();
  const exists = await sql<{ exists: boolean }[]>`select to_regclass('schema_migration') is not null as exists`;
  const applied = exists[0]?.exists === true ? await readApplied(sql) : [];
  const missing = known.find((file) => !applied.some(({ number }) => number === file.number));
  if (missing !== undefined)
    throw new ConfigurationError([`DATABASE_URL: the database lacks ${missing.name}: run "npm run migrate" first`]);
};

// One transaction a migration: the lock ends with it, so this also works behind a pooler that hands out connections by transaction.
const applyNext = async (sql: Pool, known: readonly MigrationFile[]): Promise<string | undefined> =>
  (await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${LOCK}::bigint)`;
    await transaction`set local statement_timeout = 0`;
    await transaction`
      create table if not exists schema_migration (
        number integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`;
    const next = nextMigration(known, await readApplied(transaction));
    if (next === undefined) return undefined;
    await transaction.unsafe(next.text).simple();
    await transaction`insert into schema_migration (number, name, checksum) values (${next.number}, ${next.name}, ${next.checksum})`;
    return next.name;
  })) as string | undefined;

/** What has been applied, in order. */
export const readApplied = async (sql: Sql): Promise<AppliedMigration[]> =>
  sql<AppliedMigration[]>`select number, name, checksum from schema_migration order by number`;

const nextMigration = (known: readonly MigrationFile[], applied: readonly AppliedMigration[]): MigrationFile | undefined => {
  for (const row of applied) {
    const file = known.find(({ number }) => number === row.number);
    if (file === undefined) {
      throw new ConfigurationError([
        `the database is at migration ${row.name}, which this version does not have: run the newer version, or restore a backup from before it`,
      ]);
    }
    if (file.checksum !== row.checksum) {
      throw new ConfigurationError([
        `migration ${row.name} was applied with another content than ${file.name} has now: migrations are append-only, so restore the file or use another database`,
      ]);
    }
  }
  return known[applied.length];
};
