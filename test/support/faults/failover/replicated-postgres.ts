import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Pool } from "shared/db/connect";
import { USER } from "shared/postgres/cluster";
import { findBinaries } from "shared/postgres/files";
import { waitFor } from "../../wait-for.ts";
import { type Cluster, copyCluster, makeCluster } from "./cluster.ts";

/** A primary, and a standby that has what is committed before the commit is answered. */
export interface ReplicatedPostgres extends AsyncDisposable {
  primaryUrl: string;
  standbyUrl: string;
  /** Kills every process of the primary, as when its machine is lost. */
  losePrimary(): Promise<void>;
  /** Makes the standby the primary; resolves when it takes writes. */
  promoteStandby(): Promise<void>;
}

const DATABASE = "tidings";
const STANDBY = "standby";

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
    primaryUrl: primary.url(DATABASE),
    standbyUrl: standby.url(DATABASE),
    losePrimary: async () => losePrimary(primary),
    promoteStandby: async () => void (await on(standby, async (sql) => sql`select pg_promote()`)),
    [Symbol.asyncDispose]: close,
  };
}

async function startBoth(primary: Cluster, standby: Cluster): Promise<void> {
  await primary.start([`synchronous_standby_names=${STANDBY}`]);
  const signal = join(standby.files, "standby.signal");
  await writeFile(signal, "");
  // It is opened for writing by whoever PostgreSQL runs as.
  await chmod(signal, 0o666);
  const source = `host=127.0.0.1 port=${primary.port} user=${USER} password=${primary.password} application_name=${STANDBY}`;
  await standby.start([`primary_conninfo=${source}`]);
  await on(primary, async (sql) => {
    const inStep = async (): Promise<number> => (await sql`select from pg_stat_replication where sync_state = 'sync'`).length;
    await waitFor("the standby to be in step", inStep);
    await sql`create database ${sql(DATABASE)}`;
  });
}

/** All at once: a backend that outlived its first process for a moment could still answer. */
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
    // It ended with the first one, by itself.
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
