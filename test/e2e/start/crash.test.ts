import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { makePlace, npmStart } from "../../support/start/npm-start.ts";
import { waitFor } from "../../support/wait-for.ts";

// Whole starts, several a test, beside everything else that runs on the machine.
vi.setConfig({ testTimeout: 240_000 });

const isReady = async (url: string): Promise<boolean> =>
  fetch(url).then(
    (answer) => answer.ok,
    () => false,
  );

/** The direct children of a process. */
const childrenOf = async (pid: number): Promise<number[]> => {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid="]);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return rows.filter(([, parent]) => parent === pid).map(([child]) => child ?? 0);
};

// PostgreSQL's watcher ends with PostgreSQL.
const killIfRunning = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    expect(error).toMatchObject({ code: "ESRCH" });
  }
};

test("kill -9 of the start, or of npm above it, leaves nothing that blocks the next one", async () => {
  await using place = await makePlace();
  await using first = await npmStart(place.env);
  const [start = 0] = await childrenOf(first.pid);
  process.kill(start, "SIGKILL");
  await using second = await npmStart(place.env);
  await second.kill("SIGKILL");
  await using third = await npmStart(place.env);
  expect(await third.kill("SIGTERM")).toEqual({ code: 0, signal: null });
});

test("a part that dies is started again, and so is PostgreSQL", async () => {
  await using place = await makePlace();
  await using running = await npmStart(place.env, "/_sandbox/messages");
  const [start = 0] = await childrenOf(running.pid);
  const before = await childrenOf(start);
  for (const child of before) killIfRunning(child);
  await waitFor(
    "everything to serve again",
    async () => {
      const now = await childrenOf(start);
      const isNew = now.length >= 4 && now.every((child) => !before.includes(child));
      return (
        isNew &&
        (await isReady(`${place.gateway}/api/public/ready`)) &&
        (await isReady(`${place.admin}/healthz`)) &&
        isReady(`${place.sandbox}/_sandbox/messages`)
      );
    },
    60_000,
  );
  expect(await running.kill("SIGTERM")).toEqual({ code: 0, signal: null });
});
