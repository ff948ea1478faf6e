import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demoPayload as order } from "admin-server/cli/demo";
import { createAdminClient } from "admin-server/client";
import type { Pool } from "shared/db/statement";
import { expect, test, vi } from "vitest";
import { signedIn } from "../support/admin.ts";
import { emptyDatabase } from "../support/database.ts";
import { finished, makePlace, npmRun, npmStart, withDatabase } from "../support/process.ts";
import { postEvent } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";

// The test starts everything several times, beside all other work of the machine.
vi.setConfig({ testTimeout: 300_000 });

const email = "demo@example.com";
const shown = (stdout: string, label: string): string => new RegExp(`${label} +(\\S+)`).exec(stdout)?.[1] ?? "";
const hasTables = (sql: Pool) => sql`select to_regclass('account') is not null as has`;

async function folderFor(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "tidings-backup-"));
  return { path, [Symbol.asyncDispose]: async () => rm(path, { recursive: true, force: true }) };
}

test("a backup of what runs, restored into an empty folder and started there: all is there, and events flow", async () => {
  await using place = await makePlace();
  await using folder = await folderFor();
  const file = join(folder.path, "one.tar.gz");
  await using start = await npmStart(place.env, "/_sandbox/messages");
  const sender = { key: shown(start.stdout(), "Site key"), secret: shown(start.stdout(), "Webhook secret") };
  const password = shown(start.stdout(), "Password");
  const posted = await postEvent({ url: place.gateway }, sender, order);
  expect(posted.json).toMatchObject({ chat: "sent" });
  const eventId = String(posted.json["event_id"]);

  await using backup = npmRun("backup", place.env, [file]);
  const made = await finished(backup);
  expect(made).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining(`The backup is ${file}\nIt holds the master key too`),
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await using again = npmRun("backup", place.env, [file]);
  expect(await finished(again)).toMatchObject({ code: 78, stderr: expect.stringContaining("is there already: name another file") });
  // Later events are not in the backup.
  const later = String((await postEvent({ url: place.gateway }, sender, order)).json["event_id"]);

  await using running = npmRun("restore", place.env, [file]);
  expect(await finished(running)).toMatchObject({ code: 78, stderr: expect.stringMatching(/^DATA_DIR .* is in use by process/m) });
  await start.kill("SIGTERM");
  await using filled = npmRun("restore", place.env, [file]);
  expect(await finished(filled)).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/^DATA_DIR .* holds data already .*nothing was changed/m),
  });

  const elsewhere = { ...place.env, DATA_DIR: join(folder.path, "data") };
  await using restore = npmRun("restore", elsewhere, [file]);
  expect(await finished(restore)).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining("Everything is restored into DATA_DIR"),
  });
  expect(await readFile(join(elsewhere.DATA_DIR, "master-key"), "utf8")).toBe(await readFile(join(place.dataDir, "master-key"), "utf8"));
  expect((await stat(join(elsewhere.DATA_DIR, "master-key"))).mode & 0o777).toBe(0o600);

  await using restarted = await npmStart(elsewhere);
  expect(restarted.stdout()).not.toContain("A demo shop is set up");
  const { token } = await signedIn(createAdminClient({ url: place.admin }).auth.login.mutate({ email, password }));
  const admin = createAdminClient({ url: place.admin, token });
  expect((await admin.events.get.query({ id: eventId })).event.payload).toBe(JSON.stringify(order));
  await expect(admin.events.get.query({ id: later })).rejects.toMatchObject({ data: { code: "NOT_FOUND" } });
  expect(await admin.settings.testConnection.mutate()).toMatchObject({ ok: true });
  const next = await postEvent({ url: place.gateway }, sender, order);
  expect(next.json).toMatchObject({ chat: "sent", recipients_sent: 1 });
  const read = async () => {
    const { items } = await admin.notifications.list.query({ eventId: String(next.json["event_id"]) });
    return items[0]?.status === "read";
  };
  await waitFor("the message to be read, as callbacks tell", read, 30_000);
  await restarted.kill("SIGTERM");
});

test("with a database and a key of one's own, the key stays out of the backup and must be the same", async () => {
  await using source = await emptyDatabase();
  await using target = await emptyDatabase();
  await using folder = await folderFor();
  const file = join(folder.path, "own.tar.gz");
  const env = { ...withDatabase(source), MASTER_KEY: Buffer.alloc(32, 1).toString("base64") };
  await finished(npmRun("migrate", env));
  await using unkeyed = npmRun("backup", { DATABASE_URL: source.url }, [file]);
  expect(await finished(unkeyed)).toMatchObject({ code: 78, stderr: expect.stringMatching(/^MASTER_KEY must be set with DATABASE_URL/m) });
  await using backup = npmRun("backup", env, [file]);
  expect(await finished(backup)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("It does not hold the MASTER_KEY that was given"),
  });
  const into = { ...env, ...withDatabase(target), MASTER_KEY: env.MASTER_KEY };
  await using wrong = npmRun("restore", { ...into, MASTER_KEY: Buffer.alloc(32, 2).toString("base64") }, [file]);
  expect(await finished(wrong)).toMatchObject({ code: 78, stderr: expect.stringMatching(/^MASTER_KEY is another key than/m) });
  expect(await hasTables(target.sql)).toEqual([{ has: false }]);
  await using restore = npmRun("restore", into, [file]);
  expect(await finished(restore)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Everything is restored into the database of DATABASE_URL."),
  });
  expect(await hasTables(target.sql)).toEqual([{ has: true }]);
  expect(await target.sql`select id from account`).toEqual([]);
});

test("both say what they need", async () => {
  await using place = await makePlace();
  await using unnamed = npmRun("restore", place.env);
  expect(await finished(unnamed)).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/^name the backup: "npm run restore -- FILE"/m),
  });
  await using missing = npmRun("restore", place.env, ["/none.tar.gz"]);
  expect(await finished(missing)).toMatchObject({ code: 78, stderr: expect.stringMatching(/^\/none\.tar\.gz is not there/m) });
  await using nothing = npmRun("backup", place.env);
  expect(await finished(nothing)).toMatchObject({ code: 78, stderr: expect.stringMatching(/^DATA_DIR .* holds no database/m) });
});
