import { randomBytes } from "node:crypto";
import { chown, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError } from "../server/configuration-error.ts";
import { runAs } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { clusterFolder } from "./files.ts";
import type { Home } from "./home.ts";

/** The superuser of the embedded database. */
export const USER = "tidings";

/**
 * Makes the cluster if there is none, and answers its password. Throws `ConfigurationError` when the cluster there
 * belongs to another user or major version, or its password is lost.
 */
export const prepareCluster = async (home: Home, binaries: Binaries, passwordFile: string, durable: boolean): Promise<string> => {
  const cluster = clusterFolder(home);
  const owner = await stat(cluster).then(
    (found) => found.uid,
    () => undefined,
  );
  if (owner === undefined) return createCluster(home, passwordFile, durable);
  if (owner !== home.account.ownerUid) {
    throw new ConfigurationError([
      `DATA_DIR holds a database (${cluster}) of another user (uid ${owner}): start as that user or set DATA_DIR to a folder of your own`,
    ]);
  }
  const major = (await readFile(join(cluster, "PG_VERSION"), "utf8").catch(() => "")).trim();
  if (major !== binaries.major) {
    const found = major === "" ? "no database of PostgreSQL" : `a database of PostgreSQL ${major}`;
    throw new ConfigurationError([
      `DATA_DIR holds ${found} in ${cluster}, this version needs ${binaries.major}: move its data with pg_dump or set DATA_DIR to another folder`,
    ]);
  }
  const password = (await readFile(passwordFile, "utf8").catch(() => "")).trim();
  if (password === "")
    throw new ConfigurationError([`${passwordFile}, the database's password, is gone: restore it or set DATA_DIR to another folder`]);
  return password;
};

// Made under another name, so that one that was interrupted is never taken for a whole one.
const createCluster = async (home: Home, passwordFile: string, durable: boolean): Promise<string> => {
  for (const name of await readdir(home.folder)) {
    if (name.startsWith("postgres.new-")) await rm(join(home.folder, name), { recursive: true, force: true });
  }
  const password = randomBytes(24).toString("base64url");
  const unfinished = join(home.folder, `postgres.new-${randomBytes(4).toString("hex")}`);
  await initialize(home, unfinished, password, durable);
  await writeFile(passwordFile, password, { mode: 0o600 });
  await rename(unfinished, clusterFolder(home));
  return password;
};

const initialize = async (home: Home, folder: string, password: string, durable: boolean): Promise<void> => {
  const passwordInput = `${folder}.password`;
  await writeFile(passwordInput, password, { mode: 0o600 });
  if (home.account.uid !== undefined) await chown(passwordInput, home.account.uid, home.account.gid ?? home.account.uid);
  const command = [
    join(home.bin, "initdb"),
    "--pgdata",
    folder,
    "--username",
    USER,
    "--pwfile",
    passwordInput,
    "--auth",
    "scram-sha-256",
    "--encoding",
    "UTF8",
    "--locale",
    "C",
    "--locale-provider",
    "builtin",
    "--builtin-locale",
    "C.UTF-8",
    "--no-instructions",
    ...(durable ? [] : ["--no-sync"]),
  ];
  const { ok, output } = await runAs(home.account, command, home.env);
  await rm(passwordInput, { force: true });
  if (ok) return;
  await rm(folder, { recursive: true, force: true });
  throw new ConfigurationError([
    `the embedded database could not be made in ${home.folder} (${output.trim().split("\n").at(-1) ?? ""}): set DATA_DIR to another folder or DATABASE_URL to a PostgreSQL of your own`,
  ]);
};
