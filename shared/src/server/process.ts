import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isStartedByNpm } from "./config.ts";
import { ConfigurationError } from "./configuration-error.ts";
import type { Logger } from "./logger.ts";

/**
 * A text that names one run of a process: its id alone may have been given to another since. Undefined when no such
 * process runs (a zombie does not).
 */
export const processIdentity = (pid: number): string | undefined => {
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
};

/** The command line of a running process, its arguments separated by spaces; empty when there is none. */
export const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return process.platform === "linux" ? "" : ps(pid, "command=");
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
};

const startedAt = (pid: number): string | undefined => {
  const started = ps(pid, "lstart=");
  return started === "" ? undefined : `${pid} ${started}`;
};

const ps = (pid: number, column: string): string => {
  try {
    return execFileSync("ps", ["-p", String(pid), "-o", column], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
};

/** Exit code of a program that cannot start until somebody changes something (EX_CONFIG): starting it again is no use. */
const EXIT_CONFIGURATION = 78;

/** Runs a program's `main`. A problem that a person can put right is printed as one line each on stderr; anything else with its stack. */
export const runMain = async (main: () => Promise<void>): Promise<void> => {
  try {
    await main();
  } catch (error) {
    const configuration = error instanceof ConfigurationError;
    const text = error instanceof Error && !configuration ? (error.stack ?? error.message) : String(configuration ? error.message : error);
    process.stderr.write(`${text}\n`);
    process.exit(configuration ? EXIT_CONFIGURATION : 1);
  }
};

const GRACE_MS = 20_000;
const TERMINAL_SIGNALS = ["SIGINT", "SIGHUP"] as const;

/**
 * Stops the program once, on a signal or when the process that started it is gone: runs `stop` for at most `graceMs`,
 * then exits 0. Call it first thing; what is not yet started when the signal comes is then the business of `stop`.
 */
export const stopOnSignal = (log: Logger, stop: () => Promise<void>, graceMs: number = GRACE_MS): void => {
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
  // Ctrl-C reaches everything in the terminal at once. A part leaves the order of stopping to the parent that started it.
  const isPart = process.connected;
  for (const signal of TERMINAL_SIGNALS) process.on(signal, () => (isPart ? undefined : begin(signal)));
  watchParent(() => begin("the process that started this one is gone"));
};

const POLL_MS = 500;
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"]);

/**
 * Calls `onGone` when the program that started this one ended without a word (kill -9): a parent that talks to us over
 * an IPC channel, or npm, which runs us directly or through a shell. Started in any other way, nothing is watched, so
 * that `nohup` and daemons work as usual.
 */
const watchParent = (onGone: () => void): void => {
  if (process.connected) process.once("disconnect", onGone);
  else if (isStartedByNpm()) pollParent(onGone);
};

const pollParent = (onGone: () => void): void => {
  const parent = process.ppid;
  const shell = SHELLS.has(statusOf(parent)["Name"] ?? "");
  const grandparent = shell ? statusOf(parent)["PPid"] : undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent && (grandparent === undefined || statusOf(parent)["PPid"] === grandparent)) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
};

// Linux only; elsewhere only the parent itself is watched.
const statusOf = (pid: number): Record<string, string> => {
  try {
    const lines = readFileSync(`/proc/${pid}/status`, "utf8").split("\n");
    return Object.fromEntries(lines.map((line) => line.split(/:\s+/, 2) as [string, string]));
  } catch {
    return {};
  }
};
