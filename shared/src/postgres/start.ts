import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, statSync, truncateSync } from "node:fs";
import { readFile, writeFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../db/connect.ts";
import { ConfigurationError } from "../server/configuration-error.ts";
import { takeFileLock } from "../server/file-lock.ts";
import { commandLine, processIdentity } from "../server/process.ts";
import { prepareCluster, superuser, freePort, isFreePort, type Home, prepareHome, postgresSettings } from "./cluster.ts";
import { findBinaries, prepareDataFolder, postgresFiles, spawnAs, clusterFolder } from "./files.ts";

/** The embedded database of a data folder for a short command: the running one, or one started for it. Throws `ConfigurationError` when there is none. */
export async function openPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const url = await requireEmbedded(dataDir);
  try {
    return await startPostgres({ dataDir, durable: true });
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    const everydayPassword = (await readFile(postgresFiles(dataDir).everydayPassword, "utf8")).trim();
    const everydayUrl = Object.assign(new URL(url), { username: everydayRole, password: everydayPassword }).href;
    return { url, everydayUrl, [Symbol.asyncDispose]: async () => undefined };
  }
}

/** The embedded database of a data folder that nothing else runs. Throws `ConfigurationError` when there is none or it runs. */
export async function openPostgresAlone(dataDir: string): Promise<EmbeddedPostgres> {
  await requireEmbedded(dataDir);
  return await startPostgres({ dataDir, durable: true });
}

async function requireEmbedded(dataDir: string): Promise<string> {
  const url = await embeddedUrl(dataDir);
  if (url !== undefined) return url;
  throw new ConfigurationError([`DATA_DIR ${dataDir} holds no database: set DATA_DIR, or DATABASE_URL, to the one in use`]);
}

export interface PostgresOptions {
  /** The folder, which is made if missing. It holds the cluster, its password and its port; one instance runs at a time. */
  readonly dataDir: string;
  /** False for tests alone: nothing is synced to disk. */
  readonly durable: boolean;
  /** False: run PostgreSQL as another user, without trying user namespaces as root, which most containers forbid. */
  readonly userNamespace?: boolean | undefined;
  /** How long to wait for another process that has the folder. */
  readonly waitMs?: number | undefined;
  /** Called when PostgreSQL ended by itself and is started again. */
  readonly onRestart?: ((message: string) => void) | undefined;
}

/** A running PostgreSQL, restarted when it dies. It stops when it is disposed, and when this process dies in any way. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** The URL for the owner, who migrates the database. */
  readonly url: string;
  /** The URL for `everydayRole`, which the programs use. */
  readonly everydayUrl: string;
}

/** The role that the programs connect with: no superuser, and owner of nothing. */
export const everydayRole = "tidings_everyday";

/** The error if another process runs the data folder's PostgreSQL. */
class DataFolderInUse extends ConfigurationError {}

const databaseName = "tidings";
const startAttempts = 20;
const retryMs = 5_000;

/** Starts it, and makes it first if the data folder has none. Throws `ConfigurationError` with a line that says what to do. */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = await prepareDataFolder(options.dataDir);
  const lock = await takeLock(dataDir, options);
  try {
    const running = await run(dataDir, options);
    return {
      url: running.url,
      everydayUrl: running.everydayUrl,
      [Symbol.asyncDispose]: async () => {
        await running.stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The address of the embedded database of a data folder, whether it runs or not; undefined when there is none. */
export async function embeddedUrl(dataDir: string): Promise<string | undefined> {
  const files = postgresFiles(dataDir);
  const password = await readFile(files.password, "utf8").catch(() => "");
  const port = await readFile(files.port, "utf8").catch(() => "");
  return password === "" || port === "" ? undefined : databaseUrl(password.trim(), Number(port), databaseName);
}

async function takeLock(dataDir: string, options: PostgresOptions): Promise<{ release: () => void }> {
  for (const deadline = performance.now() + (options.waitMs ?? 0); ; await sleep(100)) {
    const lock = takeFileLock(postgresFiles(dataDir).lock);
    if ("release" in lock) return lock;
    if (performance.now() < deadline) continue;
    throw new DataFolderInUse([
      `DATA_DIR ${options.dataDir} is in use by process ${lock.heldBy}: stop that one first or set DATA_DIR to another folder`,
    ]);
  }
}

async function run(dataDir: string, options: PostgresOptions): Promise<{ url: string; everydayUrl: string; stop: () => Promise<void> }> {
  const files = postgresFiles(dataDir);
  const binaries = await findBinaries();
  const home = await prepareHome(dataDir, binaries, options.userNamespace ?? true);
  const password = await prepareCluster(home, binaries, files.password, options.durable);
  const first = await start(home, files, options.durable);
  let current = first.postmaster;
  const stopping = new AbortController();
  const supervise = async (): Promise<void> => {
    for (;;) {
      await current.ended;
      if (stopping.signal.aborted) return;
      options.onRestart?.(`PostgreSQL ended unexpectedly and is started again; ${files.log} says why`);
      try {
        current = (await start(home, files, options.durable, first.port)).postmaster;
        if (stopping.signal.aborted) await current.stop();
      } catch (error) {
        options.onRestart?.(error instanceof Error ? error.message : String(error));
        await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };
  const supervised = supervise();
  await createDatabase(databaseUrl(password, first.port, "postgres"));
  const everydayPassword = await prepareEverydayRole(databaseUrl(password, first.port, databaseName), files.everydayPassword);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await current.stop();
    await supervised;
  };
  const everydayUrl = databaseUrl(everydayPassword, first.port, databaseName, everydayRole);
  return { url: databaseUrl(password, first.port, databaseName), everydayUrl, stop };
}

/** Tries several times: the port may be taken in between, and after a crash the old processes need a moment to end. */
async function start(home: Home, files: ReturnType<typeof postgresFiles>, durable: boolean, fixedPort?: number) {
  let port = fixedPort ?? Number(await readFile(files.port, "utf8").catch(() => "0"));
  for (let attempt = 1; attempt <= startAttempts; attempt += 1) {
    await stopLeftover(home);
    if (fixedPort === undefined && (port === 0 || !(await isFreePort(port)))) port = await freePort();
    const postmaster = await startPostmaster(home, files.log, port, postgresSettings(durable));
    if (postmaster !== undefined) {
      await writeFile(files.port, String(port), { mode: 0o600 });
      return { postmaster, port };
    }
    await sleep(100 * attempt);
  }
  const lastLine = (await readFile(files.log, "utf8")).trim().split("\n").at(-1) ?? "";
  throw new ConfigurationError([
    `the embedded PostgreSQL does not start (${lastLine}): ${files.log} says more; put it right or set DATABASE_URL`,
  ]);
}

async function createDatabase(url: string): Promise<void> {
  const sql = connect(url, { max: 1 });
  try {
    const found = await sql`select 1 from pg_database where datname = ${databaseName}`;
    if (found.length === 0) await sql`create database ${sql(databaseName)}`;
  } finally {
    await sql.end();
  }
}

/** Makes the everyday role where it is missing, also in a data folder of an earlier version, and answers its password, which is kept in `file`. */
async function prepareEverydayRole(url: string, file: string): Promise<string> {
  const kept = (await readFile(file, "utf8").catch(() => "")).trim();
  const password = /^[\w-]{20,}$/.test(kept) ? kept : randomBytes(24).toString("base64url");
  if (password !== kept) await writeFile(file, password, { mode: 0o600 });
  const sql = connect(url, { max: 1 });
  try {
    const found = await sql`select from pg_roles where rolname = ${everydayRole}`;
    if (found.length === 0) await sql`create role ${sql(everydayRole)}`;
    // A command of the schema takes no parameters; the password has only letters, digits, - and _.
    await sql`alter role ${sql(everydayRole)} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password ${sql.unsafe(`'${password}'`)}`;
    await sql`revoke all on database ${sql(databaseName)}, postgres from public`;
    await sql`grant connect on database ${sql(databaseName)} to ${sql(everydayRole)}`;
  } finally {
    await sql.end();
  }
  return password;
}

const databaseUrl = (password: string, port: number, database: string, role = superuser): string =>
  `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;

const stopMs = 30_000;
const largestLogBytes = 10_000_000;

/**
 * Stops PostgreSQL when the pipe on stdin closes: only a process of its own outlives a kill -9 of its parent. It compares the pid file first, since the
 * process id may belong to another process by then.
 */
const watcherScript = `
read -r _
[ "$(head -n 1 "$2" 2>/dev/null)" = "$1" ] || exit 0
kill -INT "$1"
tries=0
while [ $tries -lt 100 ] && kill -0 "$1" 2>/dev/null; do sleep 0.1; tries=$((tries + 1)); done
[ "$(head -n 1 "$2" 2>/dev/null)" = "$1" ] && kill -QUIT "$1"
`;

export type Postmaster = NonNullable<Awaited<ReturnType<typeof startPostmaster>>>;

/** Starts PostgreSQL on a port with `settings`; resolves when it accepts connections, or with undefined when it ended before. */
export async function startPostmaster(home: Home, logFile: string, port: number, settings: readonly string[]) {
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > largestLogBytes) truncateSync(logFile);
  const log = openSync(logFile, "a", 0o600);
  const command = [
    join(home.bin, "postgres"),
    "-D",
    clusterFolder(home),
    "-p",
    String(port),
    ...settings.flatMap((setting) => ["-c", setting]),
  ];
  // It runs in a process group of its own: Ctrl-C reaches the whole terminal, and PostgreSQL must stop last.
  const child = spawnAs(home.account, command, { detached: true, env: home.env, stdio: ["ignore", log, log] });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const pidFile = join(clusterFolder(home), "postmaster.pid");
  const watcher = watch(child, pidFile);
  void ended.then(() => watcher?.stdin?.end());
  if (!(await isReady(child, pidFile, ended))) return undefined;
  return {
    /** Resolves when PostgreSQL has ended, for whatever reason. */
    ended,
    /** Ends sessions and stops PostgreSQL; resolves when it is gone, with its watcher. */
    stop: async () => {
      await stop(child, ended);
      if (watcher?.pid === undefined || watcher.exitCode !== null || watcher.signalCode !== null) return;
      watcher.ref();
      await once(watcher, "exit");
    },
  };
}

/** Stops a PostgreSQL that an earlier run left behind, or removes its stale pid file. */
async function stopLeftover(home: Home): Promise<void> {
  const pidFile = join(clusterFolder(home), "postmaster.pid");
  const pid = Number.parseInt(await readFile(pidFile, "utf8").catch(() => ""), 10);
  if (!Number.isInteger(pid)) return;
  const identity = processIdentity(pid);
  if (identity === undefined || !commandLine(pid).includes(clusterFolder(home))) {
    await rm(pidFile, { force: true });
    return;
  }
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    process.kill(pid, signal);
    for (const limit = performance.now() + stopMs; performance.now() < limit; await sleep(50))
      if (processIdentity(pid) !== identity) return;
  }
}

function watch(child: ChildProcess, pidFile: string): ChildProcess | undefined {
  if (child.pid === undefined) return undefined;
  const watcher = spawn("/bin/sh", ["-c", watcherScript, "tidings-postgres-watcher", String(child.pid), pidFile], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher.on("error", () => undefined);
  watcher.stdin.on("error", () => undefined);
  watcher.unref();
  return watcher;
}

async function isReady(child: ChildProcess, pidFile: string, ended: Promise<void>): Promise<boolean> {
  const over = ended.then(() => true);
  for (;;) {
    if (await Promise.race([over, sleep(25, false)])) return false;
    const lines = (await readFile(pidFile, "utf8").catch(() => "")).split("\n");
    if (lines[0] === String(child.pid) && lines[7]?.trim() === "ready") return true;
  }
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    child.kill(signal);
    const limit = new AbortController();
    const over = await Promise.race([ended.then(() => true), sleep(stopMs, false, { signal: limit.signal }).catch(() => true)]);
    limit.abort();
    if (over) return;
  }
}
