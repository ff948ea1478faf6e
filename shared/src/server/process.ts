import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { attempt } from "../core/text.ts";
import { isStartedByNpm } from "./config.ts";
import { ConfigurationError } from "./configuration-error.ts";
import type { Logger } from "./logger.ts";
import { collectWhenQuiet } from "./memory.ts";

/** The version of the programs, which is that of the release. */
export const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };

/** A text that identifies one run of a process: the system may give its id to another later. Undefined when no such process runs; a zombie does not. */
export function processIdentity(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold spaces; state and start time are the 1st and 20th field after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return undefined;
    return `${pid} ${fields[19]} ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`;
  } catch {
    return process.platform === "linux" ? undefined : startedAt(pid);
  }
}

/** The command line of a running process, its arguments separated by spaces; empty when there is none. */
export const commandLine = (pid: number): string =>
  attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "), undefined) ??
  (process.platform === "linux" ? "" : ps(pid, "command="));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function startedAt(pid: number): string | undefined {
  const started = ps(pid, "lstart=");
  return started === "" ? undefined : `${pid} ${started}`;
}

const ps = (pid: number, column: string): string =>
  attempt(() => execFileSync("ps", ["-p", String(pid), "-o", column], { encoding: "utf8" }).trim(), "");

/** Exit code of a program whose configuration must be changed before it can start (EX_CONFIG): it is not restarted. */
const exitConfiguration = 78;

/** Runs a program's `main`, or prints its usage for `--help`. Prints a `ConfigurationError` on stderr, one line a problem, and any other error with its stack. */
export async function runMain(usage: string, main: () => Promise<void>): Promise<void> {
  if (process.argv.slice(2).some((argument) => argument === "--help" || argument === "-h")) return void process.stdout.write(`${usage}\n`);
  collectWhenQuiet();
  try {
    await main();
  } catch (failure) {
    const error = isForbidden(failure) ? new ConfigurationError([`${failure.path} is closed to this user: give it to them`]) : failure;
    const configuration = error instanceof ConfigurationError;
    const text = error instanceof Error && !configuration ? (error.stack ?? error.message) : String(configuration ? error.message : error);
    process.stderr.write(`${text}\n`);
    process.exit(configuration ? exitConfiguration : 1);
  }
}

/** A file that belongs to somebody else, mostly to root, who ran the program once. */
const isForbidden = (error: unknown): error is Error & { path: string } =>
  error instanceof Error && "code" in error && error.code === "EACCES" && "path" in error && typeof error.path === "string";

const defaultGraceMs = 20_000;
const terminalSignals = ["SIGINT", "SIGHUP"] as const;

/**
 * Stops the program once, on a signal or when its parent process is gone: runs `stop` for at most `graceMs`, then exits 0. Call it first; `stop` must cope
 * with parts that are not started yet.
 */
export function stopOnSignal(log: Logger, stop: () => Promise<void>, graceMs: number = defaultGraceMs): void {
  let stopping = false;
  const begin = (reason: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, "stopping");
    const limit = setTimeout(() => {
      log.warn({ graceMs }, "stopped before everything in flight was finished");
      process.exit(0);
    }, graceMs);
    stop().then(
      () => {
        clearTimeout(limit);
        log.info("stopped");
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, "stopping failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => begin("SIGTERM"));
  // Ctrl-C reaches every process of the terminal. A part waits for its parent to stop it, in the right order.
  const isPart = process.connected;
  for (const signal of terminalSignals) process.on(signal, () => (isPart ? undefined : begin(signal)));
  watchParent(() => begin("the process that started this one is gone"));
}

const pollMs = 2_000;
const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"]);

/**
 * Calls `onGone` when the parent process was killed: one with an IPC channel, or npm, which starts this process directly or through a shell. Other parents
 * are not watched, so that `nohup` and daemons work as usual.
 */
function watchParent(onGone: () => void): void {
  if (process.connected) process.once("disconnect", onGone);
  else if (isStartedByNpm()) pollParent(onGone);
}

function pollParent(onGone: () => void): void {
  const parent = process.ppid;
  const shell = shells.has(statusOf(parent)["Name"] ?? "");
  const grandparent = shell ? statusOf(parent)["PPid"] : undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent && (grandparent === undefined || statusOf(parent)["PPid"] === grandparent)) return;
    clearInterval(timer);
    onGone();
  }, pollMs);
  timer.unref();
}

// The members of a process's status, on Linux; elsewhere only the parent itself is watched.
function statusOf(pid: number): Record<string, string> {
  const lines = attempt(() => readFileSync(`/proc/${pid}/status`, "utf8").split("\n"), []);
  return Object.fromEntries(lines.map((line) => line.split(/:\s+/, 2) as [string, string]));
}
