import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

export interface BenchProcess extends AsyncDisposable {
  url: string;
  pid: number;
  /** CPU seconds used so far, user and system; NaN if /proc is not available. */
  cpuSeconds(): number;
  /** The resident memory; NaN if /proc is not available. */
  residentMegabytes(): number;
}

export interface ProcessOptions {
  env: Record<string, string>;
  /** The core to which the process is pinned, if the machine can do that. */
  core?: number | undefined;
  /** Finds the URL in what the process prints; by default a line is the URL. */
  urlOf?: ((line: string) => string | null) | undefined;
  /** Options of Node itself. */
  nodeOptions?: readonly string[] | undefined;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const canPin = spawnSync("taskset", ["-c", "0", "true"]).status === 0;
const startMs = 60_000;

/** Starts a program of the repository in a process of its own and waits for the line that names its URL. TypeScript runs from source, JavaScript as in production. */
export async function startProcess(file: string, options: ProcessOptions): Promise<BenchProcess> {
  interruption.throwIfAborted();
  const [command = "", ...args] = commandLine(file, options);
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  // A server that is asked to stop first finishes its work, which may take until long after the platform is gone.
  const kill = (): void => void child.kill("SIGKILL");
  interruption.addEventListener("abort", kill);
  const stop = undoable(async () => {
    child.kill("SIGTERM");
    await ended;
    interruption.removeEventListener("abort", kill);
  });
  const pid = child.pid ?? 0;
  const url = await firstLine(child.stdout, options.urlOf ?? ((line) => line), ended);
  return { url, pid, cpuSeconds: () => cpuSeconds(pid), residentMegabytes: () => residentMegabytes(pid), ...stop };
}

function commandLine(file: string, { core, nodeOptions = [] }: ProcessOptions): string[] {
  return [
    ...(core !== undefined && canPin ? ["taskset", "-c", String(core)] : []),
    process.execPath,
    ...nodeOptions,
    ...(file.endsWith(".ts") ? ["--conditions=source", "--import", "tsx"] : []),
    fileURLToPath(new URL(file, `file://${root}`)),
  ];
}

async function firstLine(output: ChildProcess["stdout"], find: (line: string) => string | null, ended: Promise<unknown>): Promise<string> {
  const stream = output as Readable;
  const lines = createInterface(stream);
  const found = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const value = find(line);
      if (value === null) return;
      lines.close();
      // The output is read, as in production: a full pipe would spare the program the writing.
      stream.resume();
      resolve(value);
    });
  });
  const late = AbortSignal.timeout(startMs);
  return await Promise.race([
    found,
    ended.then(() => Promise.reject(new Error("a benchmarked process ended before it was up"))),
    once(late, "abort").then(() => Promise.reject(new Error(`a benchmarked process was not up within ${startMs} ms`))),
  ]);
}

function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? NaN) / 1024;
  } catch {
    return NaN;
  }
}

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Everything that the run has started or made and not yet undone, oldest first. */
const pending = new Set<() => Promise<void>>();

/** Undoes something once, when disposed or when the run is interrupted, whichever comes first. */
export function undoable(undo: () => Promise<unknown>): AsyncDisposable {
  let undone: Promise<unknown> | undefined;
  const once = async (): Promise<void> => {
    undone ??= undo();
    await undone;
    pending.delete(once);
  };
  pending.add(once);
  return { [Symbol.asyncDispose]: once };
}

const interrupted = new AbortController();

/** Aborted by a signal, to hurry everything that can be shortened. */
export const interruption: AbortSignal = interrupted.signal;

/** From now on a signal undoes everything, newest first, and ends the run. */
export function undoWhenInterrupted(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (interruption.aborted) return;
      // An error because a server or database is gone must not end the run before everything is undone.
      process.on("uncaughtException", () => undefined);
      interrupted.abort();
      void undoAll().finally(() => process.exit(exitCodes[signal]));
    });
  }
}

/** Undoes everything that a failed benchmark has left. */
export async function undoAll(): Promise<void> {
  for (const undo of [...pending].toReversed()) await undo().catch(() => undefined);
}

const ticksPerSecond = 100;

/** CPU seconds that a process has used so far, user and system; NaN if /proc is not available. By the scheduler's nanoseconds: a hundredth would be much of a short load. */
function cpuSeconds(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"));
    return threads.reduce((sum, spent) => sum + Number(spent.split(" ")[0]), 0) / 1e9;
  } catch {
    return NaN;
  }
}

/** The CPU seconds of a process and its children, running or ended. */
export function familyCpuSeconds(pid: number): number {
  const children = childrenOf(pid).map(cpuSeconds);
  // A child that ends between two looks is counted with its parent from then on.
  const ended =
    stat(pid)
      .slice(13, 15)
      .reduce((sum, field) => sum + Number(field), 0) / ticksPerSecond;
  return children.filter((spent) => !Number.isNaN(spent)).reduce((sum, spent) => sum + spent, cpuSeconds(pid) + ended);
}

/** The process that started it; NaN if /proc is not available. */
export const parentOf = (pid: number): number => Number(stat(pid)[1]);

function childrenOf(pid: number): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((each) => parentOf(each) === pid);
  } catch {
    return [];
  }
}

/** The fields of /proc/PID/stat from the third on, which is the process's state: before it stands a name that may hold blanks. */
function stat(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  } catch {
    return [];
  }
}
