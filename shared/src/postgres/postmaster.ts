import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, statSync, truncateSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commandLine, processIdentity } from "../server/process.ts";
import type { Home } from "./cluster.ts";
import { spawnAs, clusterFolder } from "./files.ts";

const stopMs = 30_000;
const largestLogBytes = 10_000_000;

/**
 * Stops PostgreSQL when the pipe on stdin closes: only a process of its own outlives a kill -9 of its parent. It compares the pid file first, since the
 * process id may be another's by then.
 */
const watcherScript = `
read -r _
[ "$(head -n 1 "$2" 2>/dev/null)" = "$1" ] || exit 0
kill -INT "$1"
tries=0
while [ $tries -lt 100 ] && kill -0 "$1" 2>/dev/null; do sleep 0.1; tries=$((tries + 1)); done
[ "$(head -n 1 "$2" 2>/dev/null)" = "$1" ] && kill -QUIT "$1"
`;

export interface Postmaster {
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Ends sessions and stops; resolves when it is gone. */
  readonly stop: () => Promise<void>;
}

/** Starts PostgreSQL on a port with `settings`; resolves when it accepts connections, or with undefined when it ended before. */
export async function startPostmaster(
  home: Home,
  logFile: string,
  port: number,
  settings: readonly string[],
): Promise<Postmaster | undefined> {
  const log = openLog(logFile);
  const command = [
    join(home.bin, "postgres"),
    "-D",
    clusterFolder(home),
    "-p",
    String(port),
    ...settings.flatMap((setting) => ["-c", setting]),
  ];
  // In a process group of its own: Ctrl-C reaches the whole terminal, and PostgreSQL must stop last.
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
  return { ended, stop: async () => stop(child, ended) };
}

/** Stops a PostgreSQL that an earlier run left behind, or removes its stale pid file. */
export async function stopLeftover(home: Home): Promise<void> {
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
    for (const limit = performance.now() + stopMs; performance.now() < limit; await sleep(50)) {
      if (processIdentity(pid) !== identity) return;
    }
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

function openLog(file: string): number {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largestLogBytes) truncateSync(file);
  return openSync(file, "a", 0o600);
}
