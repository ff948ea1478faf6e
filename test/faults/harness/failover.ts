import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { connect } from "shared/db/connect";
import type { Pool } from "shared/db/statement";
import { superuser, prepareCluster, freePort, type Home, prepareHome, postgresSettings } from "shared/postgres/cluster";
import { findBinaries, clusterFolder } from "shared/postgres/files";
import { everydayRole, type Postmaster, startPostmaster } from "shared/postgres/start";
import { waitFor } from "../../support/wait-for.ts";

/** A primary, and a standby that has each commit before it is answered. */
export interface ReplicatedPostgres extends AsyncDisposable {
  /** The owner's URLs. */
  primaryUrl: string;
  standbyUrl: string;
  /** The same URL for the role of the programs. */
  everydayUrl(url: string): string;
  /** Kills every process of the primary, as when its machine is lost. */
  losePrimary(): Promise<void>;
  /** Makes the standby the primary; resolves when it takes writes. */
  promoteStandby(): Promise<void>;
}

const databaseName = "tidings";
const standbyName = "standby";

/** Whether this machine's PostgreSQL can follow another one. */
export async function canReplicate(): Promise<boolean> {
  const folder = await findBinaries().then(
    (binaries) => binaries.folder,
    () => null,
  );
  return folder !== null && ["so", "dylib"].some((suffix) => existsSync(join(folder, "lib/postgresql", `libpqwalreceiver.${suffix}`)));
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "tidings-failover-"));
  const primary = await makeCluster(join(folder, "primary"));
  const standby = await copyCluster(primary, join(folder, "standby"));
  const close = async (): Promise<void> => {
    await Promise.all([primary.stop(), standby.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await startBoth(primary, standby);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    primaryUrl: primary.url(databaseName),
    standbyUrl: standby.url(databaseName),
    everydayUrl: (url) => Object.assign(new URL(url), { username: everydayRole }).href,
    losePrimary: async () => losePrimary(primary),
    promoteStandby: async () => void (await on(standby, async (sql) => sql`select pg_promote()`)),
    [Symbol.asyncDispose]: close,
  };
}

async function startBoth(primary: Cluster, standby: Cluster): Promise<void> {
  await primary.start([`synchronous_standby_names=${standbyName}`]);
  const signal = join(standby.files, "standby.signal");
  await writeFile(signal, "");
  // The user that runs PostgreSQL opens it for writing.
  await chmod(signal, 0o666);
  const source = `host=127.0.0.1 port=${primary.port} user=${superuser} password=${primary.password} application_name=${standbyName}`;
  await standby.start([`primary_conninfo=${source}`]);
  await on(primary, async (sql) => {
    const inStep = async (): Promise<number> => (await sql`select from pg_stat_replication where sync_state = 'sync'`).length;
    await waitFor("the standby to be in step", inStep);
    await sql`create database ${sql(databaseName)}`;
    await sql.unsafe(`create role ${everydayRole} login password '${primary.password}'`);
  });
}

/** Kills all processes at once: a backend that outlived its first process for a moment could still answer. */
async function losePrimary(primary: Cluster): Promise<void> {
  const first = Number.parseInt(await readFile(join(primary.files, "postmaster.pid"), "utf8"), 10);
  const others = await on(primary, async (sql) => sql<{ pid: number }[]>`select pid from pg_stat_activity where pid <> pg_backend_pid()`);
  for (const pid of [first, ...others.map((row) => row.pid)]) kill(pid);
  await primary.stop();
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // The process ended with the first one, by itself.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

const on = async <T>(cluster: Cluster, run: (sql: Pool) => Promise<T>): Promise<T> => {
  const sql = connect(cluster.url("postgres"), { max: 1 });
  try {
    return await run(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
};

/** A PostgreSQL of the test's own that is not restarted when it dies. */
interface Cluster {
  /** The folder of its files. */
  readonly files: string;
  readonly port: number;
  readonly password: string;
  url(database: string): string;
  /** Starts it; throws when it does not come up. */
  start(settings: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Makes an empty cluster; it does not run yet. */
async function makeCluster(folder: string): Promise<Cluster> {
  const home = await makeHome(folder);
  return await clusterIn(home, folder, await prepareCluster(home, await findBinaries(), join(folder, "password"), true));
}

/** Copies a cluster that does not run, with the owners of its files. */
async function copyCluster(original: Cluster, folder: string): Promise<Cluster> {
  const home = await makeHome(folder);
  await promisify(execFile)("cp", ["-a", original.files, clusterFolder(home)]);
  return await clusterIn(home, folder, original.password);
}

async function makeHome(folder: string): Promise<Home> {
  await mkdir(folder, { recursive: true });
  return await prepareHome(folder, await findBinaries(), true);
}

async function clusterIn(home: Home, folder: string, password: string): Promise<Cluster> {
  const port = await freePort();
  let postmaster: Postmaster | undefined;
  return {
    files: clusterFolder(home),
    port,
    password,
    url: (database) => `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`,
    start: async (settings) => {
      const log = join(folder, "postgres.log");
      for (let attempt = 1; postmaster === undefined && attempt <= 5; attempt += 1) {
        postmaster = await startPostmaster(home, log, port, [...postgresSettings(true), "max_wal_senders=10", ...settings]);
        if (postmaster === undefined) await sleep(200 * attempt);
      }
      if (postmaster === undefined) throw new Error(`PostgreSQL does not start over ${clusterFolder(home)}; ${log} says why`);
    },
    stop: async () => postmaster?.stop(),
  };
}
