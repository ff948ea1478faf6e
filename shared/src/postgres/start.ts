import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../db/connect.ts";
import { ConfigurationError } from "../server/configuration-error.ts";
import { takeFileLock } from "../server/file-lock.ts";
import { prepareCluster, superuser, freePort, isFreePort, type Home, prepareHome, postgresSettings } from "./cluster.ts";
import { findBinaries, prepareDataFolder, postgresFiles } from "./files.ts";
import { startPostmaster, stopLeftover } from "./postmaster.ts";

/** The embedded database of a data folder for a short command: the running one, or one started for it. Throws `ConfigurationError` when there is none. */
export async function openPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const url = await embeddedUrl(dataDir);
  if (url === undefined)
    throw new ConfigurationError([`DATA_DIR ${dataDir} holds no database: set DATA_DIR, or DATABASE_URL, to the one in use`]);
  try {
    return await startPostgres({ dataDir, durable: true });
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    return { url, everydayUrl: url, [Symbol.asyncDispose]: async () => undefined };
  }
}

/** The embedded database of a data folder that nothing else runs. Throws `ConfigurationError` when there is none or it runs. */
export async function openPostgresAlone(dataDir: string): Promise<EmbeddedPostgres> {
  if ((await embeddedUrl(dataDir)) === undefined)
    throw new ConfigurationError([`DATA_DIR ${dataDir} holds no database: set DATA_DIR, or DATABASE_URL, to the one in use`]);
  return await startPostgres({ dataDir, durable: true });
}

export interface PostgresOptions {
  /** Made if missing. Holds the cluster, its password and its port; one running instance at a time. */
  readonly dataDir: string;
  /** False for tests alone: nothing is synced to disk. */
  readonly durable: boolean;
  /** False: do not try user namespaces as root, which most containers forbid, but run PostgreSQL as another user. */
  readonly userNamespace?: boolean | undefined;
  /** How long to wait for another process that has the folder. */
  readonly waitMs?: number | undefined;
  /** Called when PostgreSQL ended by itself and is started again. */
  readonly onRestart?: ((message: string) => void) | undefined;
}

/** A running PostgreSQL, restarted when it dies. It stops when it is disposed, and when this process dies in any way. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** Of the owner, who migrates it. */
  readonly url: string;
  /** Of `everydayRole`, for the programs. */
  readonly everydayUrl: string;
}

/** The role that the programs connect with: no superuser, and owner of nothing. */
export const everydayRole = "tidings_everyday";

/** Another process runs the data folder's PostgreSQL. */
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
    // A command of the schema takes no parameters; the password has letters, digits, - and _ alone.
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
