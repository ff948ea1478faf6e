import { randomBytes, randomInt } from "node:crypto";
import { chown, readFile, readdir, rename, rm, stat, writeFile, chmod, mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { totalmem } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "../server/configuration-error.ts";
import clusterOptions from "./cluster-options.json" with { type: "json" };
import {
  runAs,
  type Binaries,
  clusterFolder,
  type Account,
  namespaceAccount,
  ownAccount,
  unprivilegedAccount,
  copyBinaries,
  linkLibraries,
  programEnvironment,
  adoptCluster,
  isUnprivileged,
  unprivilegedFolder,
} from "./files.ts";

/** The superuser of the embedded database. */
export const superuser = "tidings";

/**
 * Makes the cluster if there is none, and answers its password. Throws `ConfigurationError` when the cluster there
 * belongs to another user or major version, or its password is lost.
 */
export async function prepareCluster(home: Home, binaries: Binaries, passwordFile: string, durable: boolean): Promise<string> {
  const cluster = clusterFolder(home);
  const owner = await stat(cluster).then(
    (found) => found.uid,
    () => undefined,
  );
  if (owner === undefined) return createCluster(home, passwordFile, durable);
  if (owner !== home.account.ownerUid)
    throw new ConfigurationError([
      `DATA_DIR holds a database (${cluster}) of another user (uid ${owner}): start as that user or set DATA_DIR to a folder of your own`,
    ]);
  const major = (await readFile(join(cluster, "PG_VERSION"), "utf8").catch(() => "")).trim();
  if (major !== binaries.major) {
    const found = major === "" ? "no database of PostgreSQL" : `a database of PostgreSQL ${major}`;
    throw new ConfigurationError([
      `DATA_DIR holds ${found} in ${cluster}, this version needs ${binaries.major}: move its data with pg_dump or set DATA_DIR to another folder`,
    ]);
  }
  const password = (
    await readFile(passwordFile, "utf8").catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? "" : Promise.reject(error)))
  ).trim();
  if (password === "")
    throw new ConfigurationError([`${passwordFile}, the database's password, is gone: restore it or set DATA_DIR to another folder`]);
  return password;
}

/** Makes the cluster under another name first, so that an interrupted one is never used. */
async function createCluster(home: Home, passwordFile: string, durable: boolean): Promise<string> {
  for (const name of await readdir(home.folder))
    if (name.startsWith("postgres.new-")) await rm(join(home.folder, name), { recursive: true, force: true });
  const password = randomBytes(24).toString("base64url");
  const unfinished = join(home.folder, `postgres.new-${randomBytes(4).toString("hex")}`);
  await initialize(home, unfinished, password, durable);
  await writeFile(passwordFile, password, { mode: 0o600 });
  await rename(unfinished, clusterFolder(home));
  return password;
}

async function initialize(home: Home, folder: string, password: string, durable: boolean): Promise<void> {
  const passwordInput = `${folder}.password`;
  await writeFile(passwordInput, password, { mode: 0o600 });
  if (home.account.uid !== undefined) await chown(passwordInput, home.account.uid, home.account.gid ?? home.account.uid);
  const command = [
    join(home.bin, "initdb"),
    "--pgdata",
    folder,
    "--username",
    superuser,
    "--pwfile",
    passwordInput,
    ...clusterOptions,
    // Fewer iterations suffice here: a test connects hundreds of times.
    ...(durable ? [] : ["--no-sync", "--set=scram_iterations=1"]),
  ];
  const { ok, output } = await runAs(home.account, command, home.env);
  await rm(passwordInput, { force: true });
  if (ok) return;
  await rm(folder, { recursive: true, force: true });
  throw new ConfigurationError([
    `the embedded database could not be made in ${home.folder} (${output.trim().split("\n").at(-1) ?? ""}): set DATA_DIR to another folder or DATABASE_URL to a PostgreSQL of your own`,
  ]);
}

/** The account, folders and environment of PostgreSQL's programs. */
export interface Home {
  readonly account: Account;
  /** Holds the cluster; owned by the account. */
  readonly folder: string;
  readonly bin: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Finds a way to run PostgreSQL over `dataDir`: as ourselves, or, as root, in a user namespace, or else as an
 * unprivileged user, whose files move out of a data folder (and binaries out of a checkout) that it may not enter.
 */
export async function prepareHome(dataDir: string, binaries: Binaries, userNamespace: boolean): Promise<Home> {
  const libraries = join(dataDir, "postgres-libraries");
  await linkLibraries(binaries, libraries);
  const here = { folder: dataDir, bin: join(binaries.folder, "bin"), env: programEnvironment(libraries, join(binaries.folder, "lib")) };
  if (process.getuid?.() !== 0) return usable({ ...here, account: ownAccount() });
  // A cluster that was once handed to another user stays there.
  const inNamespace = { ...here, account: namespaceAccount() };
  if (userNamespace && !(await isUnprivileged(dataDir)) && (await problem(inNamespace)) === undefined) return inNamespace;
  return prepareUnprivileged(dataDir, binaries, here);
}

async function prepareUnprivileged(dataDir: string, binaries: Binaries, here: Omit<Home, "account">): Promise<Home> {
  const account = unprivilegedAccount();
  const owner = [account.ownerUid, account.gid ?? account.ownerUid] as const;
  await chmod(dataDir, 0o711);
  const folder = await unprivilegedFolder(dataDir, account);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, ...owner);
  await adoptCluster(dataDir, folder, owner);
  const there = { ...here, account, folder };
  if ((await problem(there)) === undefined) return there;
  const copy = join(folder, `binaries-${binaries.version}`);
  await copyBinaries(binaries, copy);
  return usable({ account, folder, bin: join(copy, "bin"), env: programEnvironment(join(copy, "lib")) });
}

async function usable(home: Home): Promise<Home> {
  const why = await problem(home);
  if (why !== undefined)
    throw new ConfigurationError([`the embedded PostgreSQL does not run here (${why}): set DATABASE_URL to a PostgreSQL of your own`]);
  return home;
}

/** The reason why the programs cannot run as the account over the folder; undefined when they can. */
async function problem({ account, folder, bin, env }: Home): Promise<string | undefined> {
  const check = '"$1/initdb" --version && "$1/postgres" --version && test -w "$2"';
  const { ok, output } = await runAs(account, ["/bin/sh", "-c", check, "sh", bin, folder], env);
  return ok ? undefined : (output.trim().split("\n").at(-1) ?? "");
}

// Below the ranges from which systems take the local ports of outgoing connections (Linux: from 32768, others: from 49152): a port from there may belong to somebody's
// connection by the time that it is listened on.
const firstPort = 12_000;
const endPort = 32_000;

/** A port that is free on loopback at this moment, and that no outgoing connection takes by itself. */
export async function freePort(): Promise<number> {
  const port = randomInt(firstPort, endPort);
  return (await isFreePort(port)) ? port : await freePort();
}

/** Whether a port is free on loopback at this moment. */
export const isFreePort = async (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/**
 * A quarter of the memory that this process may use, as PostgreSQL advises, up to where its bookkeeping costs an idle installation too much: the usual
 * 128 MB are full after a minute of load, and every writer then first has to write back pages of others.
 */
const sharedBuffersMb = (): number => {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.round(Math.min(512, Math.max(128, memory / 4 / 2 ** 20)));
};

/**
 * The settings that differ from PostgreSQL's own defaults. `durable` false is for tests alone: a crash of the machine may lose everything, and statements
 * are counted, without background work that would count too.
 */
export const postgresSettings = (durable: boolean): string[] => [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "log_checkpoints=off",
  "timezone=UTC",
  "log_timezone=UTC",
  ...(durable
    ? [
        // After a checkpoint, the first write to each page puts the whole page into the log. At the usual settings a checkpoint comes each minute under load, and costs a
        // quarter of all work.
        "checkpoint_timeout=15min",
        "max_wal_size=4GB",
        `shared_buffers=${sharedBuffersMb()}MB`,
        // The usual 16 MB are all touched at the start; what waits for the disk is far less.
        "wal_buffers=4MB",
        // Nothing is replicated, and no part brings a process of its own.
        "max_logical_replication_workers=0",
        "max_wal_senders=0",
        "autovacuum_worker_slots=3",
        // Room is made at the start for all that these allow: 6 MB less than for 200 connections, each with locks for transactions that nobody uses.
        "max_connections=100",
        "max_pred_locks_per_transaction=10",
        // Reads are asked for in advance, and not by processes of their own, nor several at a time.
        "io_method=sync",
        "io_max_concurrency=1",
      ]
    : [
        "max_connections=200",
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "autovacuum=off",
        // The language of the triggers is loaded once, and not by each connection.
        "shared_preload_libraries=pg_stat_statements,plpgsql",
        // The database whose statements are counted names them; all others need not.
        "compute_query_id=off",
      ]),
];
