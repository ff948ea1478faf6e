import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that a test started. Disposing it kills it. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it wrote so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly isRunning: () => boolean;
  /** Sends the signal and waits until it has ended. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<Ended>;
}

export interface ProcessOptions {
  readonly cwd?: string | undefined;
  /** The whole environment but PATH and HOME: nothing of the test's own settings reaches the program. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

export const startProcess = (command: readonly [string, ...string[]], options: ProcessOptions = {}): RunningProcess => {
  const [program, ...args] = command;
  const identity = options.uid === undefined ? {} : { uid: options.uid, gid: options.gid };
  const child = spawn(program, args, {
    cwd: options.cwd ?? ROOT,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    ...identity,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
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
    [Symbol.asyncDispose]: async () => void (await kill("SIGKILL")),
  };
};
