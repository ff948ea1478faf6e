import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "shared/postgres/cluster";
import { type RunningProcess, startProcess } from "../process/running-process.ts";
import { waitFor } from "../wait-for.ts";

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

/** `npm start`, or another script with its arguments. */
export const npmRun = (script: string, env: Readonly<Record<string, string>>, args: readonly string[] = []): RunningProcess =>
  startProcess(["npm", "run", "--silent", script, ...(args.length === 0 ? [] : ["--", ...args])], { env });

/** `npm start`, waited for until it says `text`. */
export const npmStart = async (env: Readonly<Record<string, string>>, text = "Tidings is running."): Promise<RunningProcess> => {
  const running = npmRun("start", env);
  await waitFor(`npm start to say "${text}"`, () => running.stdout().includes(text) || !running.isRunning(), 120_000);
  if (!running.isRunning()) throw new Error(`npm start ended:\n${running.stdout()}\n${running.stderr()}`);
  return running;
};

/** What a script wrote when it had ended, and how. */
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
