import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Account, runAs } from "./account.ts";
import { CLUSTER } from "./files.ts";

const OUTSIDE = "/var/lib";

const inside = (dataDir: string): string => join(dataDir, "postgres-home");
// Names the folder elsewhere: a new data folder gets a new one, so it never meets another's cluster.
const pointer = (dataDir: string): string => join(dataDir, "postgres-home-outside");

/** Whether the data folder's cluster was handed to an unprivileged user before. */
export const isUnprivileged = async (dataDir: string): Promise<boolean> =>
  (await exists(inside(dataDir))) || (await exists(pointer(dataDir)));

/** Where the unprivileged user keeps the cluster: in the data folder if it may go there, else below /var/lib. The same at every start. */
export const unprivilegedFolder = async (dataDir: string, account: Account): Promise<string> => {
  const known = await readFile(pointer(dataDir), "utf8").catch(() => "");
  if (known !== "") return known;
  if ((await runAs(account, ["/bin/sh", "-c", 'test -x "$1"', "sh", dataDir], {})).ok) return inside(dataDir);
  const folder = join(OUTSIDE, `tidings-${randomBytes(8).toString("hex")}`);
  await writeFile(pointer(dataDir), folder, { mode: 0o600 });
  return folder;
};

/** Moves a cluster that root made in a user namespace to the unprivileged user. */
export const adoptCluster = async (dataDir: string, folder: string, [uid, gid]: readonly [number, number]): Promise<void> => {
  const [from, to] = [join(dataDir, CLUSTER), join(folder, CLUSTER)];
  if (!(await exists(from)) || (await stat(from)).uid !== 0 || (await exists(to))) return;
  const run = promisify(execFile);
  // In this order an interruption leaves a cluster that the next start goes on with.
  const unfinished = `${to}.moving`;
  await run("rm", ["-rf", unfinished]);
  await run("cp", ["-a", from, unfinished]);
  await run("chown", ["-R", `${uid}:${gid}`, unfinished]);
  await run("mv", [unfinished, to]);
  await run("rm", ["-rf", from]);
};

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
