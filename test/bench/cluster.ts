import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "shared/db/connect";
import { migrate } from "shared/db/migrate";
import type { Pool } from "shared/db/statement";
import { startPostgres } from "shared/postgres/start";
import { familyCpuSeconds, interruption, parentOf, undoable } from "./processes.ts";

/** A PostgreSQL of the run's own in a temporary folder, as durable as in production. */
export interface Cluster extends AsyncDisposable {
  /** A connection to a database in which nothing is measured. */
  sql: Pool;
  /** CPU seconds of PostgreSQL's processes so far, ended ones included; NaN if /proc is not available. */
  cpuSeconds(): number;
  /** A migrated database of its own; disposing drops it. */
  createDatabase(name: string): Promise<BenchDatabase>;
}

export interface BenchDatabase extends AsyncDisposable {
  name: string;
  url: string;
  sql: Pool;
}

export async function openCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), "tidings-bench-"));
  const removed = undoable(async () => removeFolder(folder));
  try {
    await preloadStatementCounts(folder);
    const postgres = await startPostgres({ dataDir: folder, durable: true });
    const sql = connect(postgres.url, { max: 1 });
    await stopStatementCounts(sql);
    const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const postmaster = parentOf(backend?.pid ?? 0);
    const stopped = undoable(async () => {
      const stopping = postgres[Symbol.asyncDispose]();
      // The data is not needed, and writing gigabytes back first would outlast an interruption.
      if (postmaster > 1) process.kill(postmaster, "SIGQUIT");
      await stopping;
    });
    return {
      sql,
      cpuSeconds: () => familyCpuSeconds(postmaster),
      createDatabase: async (name) => createDatabase(sql, postgres.url, name),
      [Symbol.asyncDispose]: async () => {
        await sql.end({ timeout: 1 });
        await stopped[Symbol.asyncDispose]();
        await removed[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await removed[Symbol.asyncDispose]();
    throw error;
  }
}

async function removeFolder(folder: string): Promise<void> {
  if (!interruption.aborted) return await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  // An interrupted run need not wait until gigabytes are deleted.
  spawn("rm", ["-rf", folder], { detached: true, stdio: "ignore" }).unref();
}

/** Makes the cluster, with the library that counts statements ready: it can only be loaded at the start. */
async function preloadStatementCounts(dataDir: string): Promise<void> {
  // This is quicker, and nothing is measured until the next start.
  await using postgres = await startPostgres({ dataDir, durable: false });
  const sql = connect(postgres.url, { max: 1 });
  await sql`alter system set shared_preload_libraries = 'pg_stat_statements'`;
  await sql.end();
}

async function stopStatementCounts(sql: Pool): Promise<void> {
  await sql`create extension pg_stat_statements`;
  await sql`alter system set pg_stat_statements.track = 'none'`;
  await sql`alter system set compute_query_id = 'off'`;
  await sql`select pg_reload_conf()`;
}

async function createDatabase(owner: Pool, clusterUrl: string, name: string): Promise<BenchDatabase> {
  await owner`create database ${owner(name)}`;
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  const sql = connect(url.href, { max: 2 });
  await migrate(sql);
  return {
    name,
    url: url.href,
    sql,
    [Symbol.asyncDispose]: async () => {
      await sql.end({ timeout: 1 });
      await owner`drop database ${owner(name)} with (force)`;
    },
  };
}

/**
 * Counts statements, until disposed, of programs that start after it: statements that were prepared before are not counted. This costs a little, so
 * nothing is timed meanwhile.
 */
export interface StatementCount extends AsyncDisposable {
  /** The number of the database's statements so far, without those inside functions. */
  read(database: BenchDatabase): Promise<number>;
}

export async function countStatements({ sql }: Cluster): Promise<StatementCount> {
  const track = async (statements: "top" | "none", ids: "on" | "off"): Promise<void> => {
    await sql.unsafe(`alter system set pg_stat_statements.track = '${statements}'`);
    await sql.unsafe(`alter system set compute_query_id = '${ids}'`);
    await sql`select pg_reload_conf()`;
    // The setting reaches running sessions by a signal, whose arrival cannot be asked for.
    await sleep(200);
  };
  await track("top", "on");
  return {
    read: async ({ name }) => {
      const [row] = await sql<{ calls: number }[]>`
        select coalesce(sum(s.calls), 0)::integer as calls from pg_stat_statements s join pg_database d on d.oid = s.dbid
        where d.datname = ${name} and s.toplevel`;
      return row?.calls ?? 0;
    },
    [Symbol.asyncDispose]: async () => track("none", "off"),
  };
}
