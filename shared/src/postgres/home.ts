import { chmod, chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError } from "../server/configuration-error.ts";
import { type Account, namespaceAccount, ownAccount, runAs, unprivilegedAccount } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { copyBinaries, linkLibraries, programEnvironment } from "./program-files.ts";
import { adoptCluster, isUnprivileged, unprivilegedFolder } from "./unprivileged-folder.ts";

/** As whom, from where and with what environment PostgreSQL's programs run. */
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
export const prepareHome = async (dataDir: string, binaries: Binaries, userNamespace: boolean): Promise<Home> => {
  const libraries = join(dataDir, "postgres-libraries");
  await linkLibraries(binaries, libraries);
  const here = { folder: dataDir, bin: join(binaries.folder, "bin"), env: programEnvironment(libraries, join(binaries.folder, "lib")) };
  if (process.getuid?.() !== 0) return usable({ ...here, account: ownAccount() });
  // Once handed to another user, the cluster stays there.
  const inNamespace = { ...here, account: namespaceAccount() };
  if (userNamespace && !(await isUnprivileged(dataDir)) && (await problem(inNamespace)) === undefined) return inNamespace;
  return prepareUnprivileged(dataDir, binaries, here);
};

const prepareUnprivileged = async (dataDir: string, binaries: Binaries, here: Omit<Home, "account">): Promise<Home> => {
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
