import { spawn, type SpawnOptions, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

/** As whom PostgreSQL runs. It refuses to run as root, so root needs another account for it. */
export interface Account {
  /** Put before the program's own command line. */
  readonly prefix: readonly string[];
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** Who owns the files that it makes, seen from here. */
  readonly ownerUid: number;
}

const NOBODY = 65_534;

/** Whoever runs us; for everybody but root. */
export const ownAccount = (): Account => ({ prefix: [], ownerUid: process.getuid?.() ?? 0 });

/** Root in a user namespace where it is called nobody: its files stay root's own, so they may lie anywhere. Containers often forbid it. */
export const namespaceAccount = (): Account => ({
  prefix: ["unshare", "--user", `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, "--"],
  ownerUid: 0,
});

/** The machine's `postgres` user, or else `nobody`: what always works for root, but files must lie where that user may go. */
export const unprivilegedAccount = (): Account => {
  const [uid, gid] = systemUser("postgres") ?? systemUser("nobody") ?? [NOBODY, NOBODY];
  return { prefix: [], uid, gid, ownerUid: uid };
};

/** Starts a program as the account. */
export const spawnAs = (account: Account, command: readonly string[], options: SpawnOptions): ChildProcess => {
  const [program = "", ...args] = [...account.prefix, ...command];
  const identity = account.uid === undefined ? {} : { uid: account.uid, gid: account.gid };
  return spawn(program, args, { cwd: "/", ...options, ...identity });
};

/** Runs a program as the account to its end; what it wrote, and whether it exited 0. */
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

const systemUser = (name: string): [number, number] | undefined => {
  try {
    const fields = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((line) => line.startsWith(`${name}:`))
      ?.split(":");
    return fields === undefined ? undefined : [Number(fields[2]), Number(fields[3])];
  } catch {
    return undefined;
  }
};
