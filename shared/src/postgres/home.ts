import { randomBytes } from "node:crypto";
import { chmod, chown, cp, mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError } from "../server/configuration-error.ts";
import { type Account, namespaceAccount, ownAccount, runAs, unprivilegedAccount } from "./account.ts";
import type { Binaries } from "./binaries.ts";

/** As whom, from where and with what environment PostgreSQL's programs run. */
export interface Home {
  readonly account: Account;
  /** Holds the cluster; owned by the account. */
  readonly folder: string;
  readonly bin: string;
  readonly env: NodeJS.ProcessEnv;
}

const OUTSIDE = "/var/lib";

/**
 * Finds a way to run PostgreSQL over `dataDir`: as ourselves, or, as root, in a user namespace, or else as an
 * unprivileged user, whose files move out of a data folder (and binaries out of a checkout) that it may not enter.
 */
export const prepareHome = async (dataDir: string, binaries: Binaries, userNamespace: boolean): Promise<Home> => {
  const libraries = join(dataDir, "postgres-libraries");
  await linkLibraries(binaries, libraries);
  const here = { folder: dataDir, bin: join(binaries.folder, "bin"), env: environment(libraries, join(binaries.folder, "lib")) };
  if (process.getuid?.() !== 0) return usable({ ...here, account: ownAccount() });
  const inNamespace = { ...here, account: namespaceAccount() };
  if (userNamespace && (await problem(inNamespace)) === undefined) return inNamespace;
  return prepareUnprivileged(dataDir, binaries, here);
};

const prepareUnprivileged = async (dataDir: string, binaries: Binaries, here: Omit<Home, "account">): Promise<Home> => {
  const account = unprivilegedAccount();
  await chmod(dataDir, 0o711);
  const folder = (await mayEnter(account, dataDir)) ? join(dataDir, "postgres-home") : await outsideFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, account.ownerUid, account.gid ?? account.ownerUid);
  const there = { ...here, account, folder };
  if ((await problem(there)) === undefined) return there;
  const copy = join(folder, `binaries-${binaries.version}`);
  await copyBinaries(binaries, copy);
  return usable({ account, folder, bin: join(copy, "bin"), env: environment(join(copy, "lib")) });
};

const usable = async (home: Home): Promise<Home> => {
  const why = await problem(home);
  if (why !== undefined) {
    throw new ConfigurationError([`the embedded PostgreSQL does not run here (${why}): set DATABASE_URL to a PostgreSQL of your own`]);
  }
  return home;
};

/** Why the programs cannot run as the account over the folder; undefined when they can. */
const problem = async ({ account, folder, bin, env }: Home): Promise<string | undefined> => {
  const check = '"$1/initdb" --version && "$1/postgres" --version && test -w "$2"';
  const { ok, output } = await runAs(account, ["/bin/sh", "-c", check, "sh", bin, folder], env);
  return ok ? undefined : (output.trim().split("\n").at(-1) ?? "");
};

const mayEnter = async (account: Account, folder: string): Promise<boolean> =>
  (await runAs(account, ["/bin/sh", "-c", 'test -x "$1"', "sh", folder], {})).ok;

// The folder's name is kept in the data folder: a new data folder gets a new one, so it never meets another's cluster.
const outsideFolder = async (dataDir: string): Promise<string> => {
  const pointer = join(dataDir, "postgres-home-outside");
  const known = await readFile(pointer, "utf8").catch(() => "");
  if (known !== "") return known;
  const folder = join(OUTSIDE, `tidings-${randomBytes(8).toString("hex")}`);
  await writeFile(pointer, folder, { mode: 0o600 });
  return folder;
};

// Only what we need: the user's PG* variables must not reach it.
const environment = (...libraries: string[]): NodeJS.ProcessEnv => {
  const path = libraries.join(":");
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    LC_ALL: "C",
    LD_LIBRARY_PATH: path,
    DYLD_LIBRARY_PATH: path,
  };
};

const linkLibraries = async (binaries: Binaries, folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const [file, name] of binaries.links) await symlink(file, join(folder, name));
};

const copyBinaries = async (binaries: Binaries, copy: string): Promise<void> => {
  if (await exists(copy)) return;
  const unfinished = `${copy}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(binaries.folder, unfinished, { recursive: true, filter: (source) => !source.endsWith(".a") });
  for (const [file, name] of binaries.links) {
    await symlink(file.slice(file.lastIndexOf("/") + 1), join(unfinished, "lib", name)).catch(ignoreExisting);
  }
  await rename(unfinished, copy);
};

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const ignoreExisting = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EEXIST") throw error;
};
