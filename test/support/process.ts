import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "shared/postgres/cluster";
import { waitFor } from "./wait-for.ts";

/** A data folder and ports for one test; removed when disposed. */
export interface Place extends AsyncDisposable {
  readonly dataDir: string;
  readonly gateway: string;
  readonly admin: string;
  readonly sandbox: string;
  /** The environment that puts a start here. */
  readonly env: Readonly<Record<string, string>>;
}

export const makePlace = async (): Promise<Place> => {
  const folder = await mkdtemp(join(tmpdir(), "tidings-start-"));
  const dataDir = join(folder, "data");
  const [gateway, admin, sandbox] = await Promise.all([freePort(), freePort(), freePort()]);
  return {
    dataDir,
    gateway: `http://127.0.0.1:${gateway}`,
    admin: `http://127.0.0.1:${admin}`,
    sandbox: `http://127.0.0.1:${sandbox}`,
    env: { DATA_DIR: dataDir, GATEWAY_PORT: String(gateway), ADMIN_PORT: String(admin), SANDBOX_PORT: String(sandbox) },
    [Symbol.asyncDispose]: async () => {
      await waitFor("every process of the place to end", async () => (await processesOf(dataDir)).length === 0, 40_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** The environment of a program whose database is not its own. */
export const withDatabase = ({ url, ownerUrl }: { url: string; ownerUrl?: string }) => ({
  DATABASE_URL: url,
  ...(ownerUrl !== undefined && { MIGRATE_DATABASE_URL: ownerUrl }),
  MASTER_KEY: Buffer.alloc(32).toString("base64"),
});

/** Runs a script of `npm run` with its arguments, without npm itself, which takes a third of the work. */
export const runScript = (script: string, env: Readonly<Record<string, string>>, args: readonly string[] = []): RunningProcess =>
  startProcess([process.execPath, ".tools/run.mjs", script, ...args], { env });

/** Runs `npm start`, or another script with its arguments. */
export const npmRun = (script: string, env: Readonly<Record<string, string>>, args: readonly string[] = []): RunningProcess =>
  startProcess(["npm", "run", "--silent", script, ...(args.length === 0 ? [] : ["--", ...args])], { env });

/** Runs `npm start`, and waits until it prints `text`. */
export const npmStart = async (env: Readonly<Record<string, string>>, text = "Tidings is running."): Promise<RunningProcess> => {
  const running = npmRun("start", env);
  await waitFor(`npm start to say "${text}"`, () => running.stdout().includes(text) || !running.isRunning(), 120_000);
  if (!running.isRunning()) throw new Error(`npm start ended:\n${running.stdout()}\n${running.stderr()}`);
  return running;
};

/** A command on a terminal of 80 columns and 24 rows; its whole output comes as stdout. */
export const onTerminal = (command: string, env: Readonly<Record<string, string>>): RunningProcess =>
  startProcess(["script", "-qec", `stty rows 24 cols 80; exec ${command}`, "/dev/null"], {
    env: { TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
    hasInput: true,
  });

/** The output of a script that has ended, and its exit code. */
export const finished = async (running: RunningProcess): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const { code } = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
};

/** The ids of the processes that work for a data folder: the start itself, its parts, PostgreSQL and its watcher. */
export const processesOf = async (dataDir: string): Promise<number[]> => {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,args=", "eww"], { maxBuffer: 64_000_000 });
  const lines = stdout.split("\n").filter((line) => line.includes(dataDir) && !line.includes("vitest"));
  return lines.map((line) => Number.parseInt(line, 10));
};

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that a test started. Disposing it kills it. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** The output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly isRunning: () => boolean;
  /** Sends the signal and waits until it has ended. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<Ended>;
  /** Types on the program's terminal, if it has one. */
  readonly type: (keys: string) => void;
}

export interface ProcessOptions {
  readonly cwd?: string | undefined;
  /** The whole environment except PATH and HOME: the test's own settings do not reach the program. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** True if the program has an input to type on. */
  readonly hasInput?: boolean | undefined;
}

export const startProcess = (command: readonly [string, ...string[]], options: ProcessOptions = {}): RunningProcess => {
  const [program, ...args] = command;
  const identity = options.uid === undefined ? {} : { uid: options.uid, gid: options.gid };
  const child = spawn(program, args, {
    cwd: options.cwd ?? root,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...options.env },
    stdio: [options.hasInput === true ? "pipe" : "ignore", "pipe", "pipe"],
    ...identity,
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const kill = async (signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> => {
    if (isRunning()) child.kill(signal);
    return ended;
  };
  return {
    pid: child.pid ?? 0,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    isRunning,
    kill,
    type: (keys) => child.stdin?.write(keys),
    [Symbol.asyncDispose]: async () => void (await kill("SIGKILL")),
  };
};
