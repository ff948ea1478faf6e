import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createAdminClient } from "admin-server/client";
import { expect, test, vi } from "vitest";
import { signedIn } from "../support/admin.ts";
import { emptyDatabase } from "../support/database.ts";
import { makePlace, npmStart, withDatabase } from "../support/process.ts";
import { waitFor } from "../support/wait-for.ts";

// The tests start everything several times.
vi.setConfig({ testTimeout: 240_000 });

test("with an owner of one's own the demo is theirs, and no password is printed", async () => {
  await using place = await makePlace();
  const owner = { email: "ann@example.org", password: "correct horse battery" };
  await using start = await npmStart({ ...place.env, ADMIN_EMAIL: owner.email, ADMIN_PASSWORD: owner.password }, "/_sandbox/messages");
  expect(start.stdout()).toContain("Email      ann@example.org");
  expect(start.stdout()).not.toMatch(/demo@example\.com|correct horse/);
  const { user } = await signedIn(createAdminClient({ url: place.admin }).auth.login.mutate(owner));
  expect(user).toMatchObject({ email: owner.email, role: "owner" });
  await start.kill("SIGTERM");
});

test("with a platform of one's own there is no demo, a sandbox for test sites alone and a code for the first sign-up", async () => {
  await using place = await makePlace();
  await using database = await emptyDatabase();
  await using start = await npmStart({ ...place.env, ...withDatabase(database), PLATFORM_API_URL: "http://127.0.0.1:9" });
  expect(start.stdout()).toMatch(/setup code: [0-9a-f]{12}\n/);
  expect(start.stdout()).toContain(`Sandbox    ${place.sandbox}   (takes what test sites send)\n`);
  expect(start.stdout()).not.toMatch(/curl |Password/);
  expect((await fetch(`${place.sandbox}/_sandbox/messages`)).status).toBe(401);
  await start.kill("SIGTERM");
});

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

test("kill -9 of the start, of npm above it or of a part leaves nothing that blocks the next one", async () => {
  await using place = await makePlace();
  await using first = await npmStart(place.env);
  const [start = 0] = await childrenOf(first.pid);
  process.kill(start, "SIGKILL");
  await using second = await npmStart(place.env);
  await second.kill("SIGKILL");
  await using third = await npmStart(place.env, "/_sandbox/messages");

  // A part that dies is started again, and PostgreSQL too.
  const [last = 0] = await childrenOf(third.pid);
  const before = await childrenOf(last);
  for (const child of before) killIfRunning(child);
  await waitFor(
    "everything to serve again",
    async () => {
      const now = await childrenOf(last);
      const isNew = now.length >= 4 && now.every((child) => !before.includes(child));
      return (
        isNew &&
        (await isReady(`${place.gateway}/api/public/ready`)) &&
        (await isReady(`${place.admin}/healthz`)) &&
        isReady(`${place.sandbox}/_sandbox/ready`)
      );
    },
    60_000,
  );
  expect(await third.kill("SIGTERM")).toEqual({ code: 0, signal: null });
});
