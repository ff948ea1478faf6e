import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { prepareCluster, USER } from "shared/postgres/cluster";
import { freePort } from "shared/postgres/cluster";
import { type Home, prepareHome } from "shared/postgres/cluster";
import { postgresSettings } from "shared/postgres/cluster";
import { findBinaries } from "shared/postgres/files";
import { clusterFolder } from "shared/postgres/files";
import { type Postmaster, startPostmaster } from "shared/postgres/postmaster";

/** A PostgreSQL of the test's own that nobody starts again when it dies. */
export interface Cluster {
  /** Where its files lie. */
  readonly files: string;
  readonly port: number;
  readonly password: string;
  url(database: string): string;
  /** Throws when it does not come up. */
  start(settings: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Makes an empty one; it does not run yet. */
export async function makeCluster(folder: string): Promise<Cluster> {
  const home = await makeHome(folder);
  return await clusterIn(home, folder, await prepareCluster(home, await findBinaries(), join(folder, "password"), true));
}

/** Copies one that does not run, with the owners of its files. */
export async function copyCluster(original: Cluster, folder: string): Promise<Cluster> {
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
    url: (database) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`,
    start: async (settings) => {
      const log = join(folder, "postgres.log");
      for (let attempt = 1; postmaster === undefined && attempt <= 5; attempt += 1) {
        postmaster = await startPostmaster(home, log, port, [...postgresSettings(true), ...settings]);
        if (postmaster === undefined) await sleep(200 * attempt);
      }
      if (postmaster === undefined) throw new Error(`PostgreSQL does not start over ${clusterFolder(home)}; ${log} says why`);
    },
    stop: async () => postmaster?.stop(),
  };
}
