import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startProcess } from "../../../test/support/process.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { connect } from "../db/connect.ts";
import { commandLine, processIdentity } from "../server/process.ts";
import { embeddedUrl, startPostgres } from "./start.ts";

const ownerProgram = fileURLToPath(new URL("../../../test/support/postgres-owner.ts", import.meta.url));

/** A data folder after a first start. */
let model = "";
beforeAll(async () => {
  model = await realpath(await mkdtemp(join(tmpdir(), "tidings-postgres-")));
  await (await startPostgres({ dataDir: model, durable: false }))[Symbol.asyncDispose]();
  await rm(join(model, "postgres-port"));
});
afterAll(async () => rm(model, { recursive: true, force: true }));

let dataDir = "";
beforeEach(async () => {
  dataDir = await realpath(await mkdtemp(join(tmpdir(), "tidings-postgres-")));
});
afterEach(async () => rm(dataDir, { recursive: true, force: true }));

const start = async () => startPostgres({ dataDir, durable: false });
/** Copies a database into the folder, which takes a fifth of the work of making one. */
const furnish = async () => promisify(execFile)("cp", ["-a", `${model}/.`, dataDir]);
const postmasterPid = async () => Number.parseInt(await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8").catch(() => ""), 10);

const query = async (url: string, text: string): Promise<unknown> => {
  const sql = connect(url, { max: 1 });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
};

/** A process that starts PostgreSQL over the folder and prints its URL, as `npm start` does. */
const startOwner = async () => {
  const owner = startProcess([process.execPath, "--conditions=source", "--import", "tsx", ownerProgram, dataDir]);
  await waitFor("the owner's PostgreSQL", () => owner.stdout().includes("postgres://") || !owner.isRunning());
  return { ...owner, url: owner.stdout().trim() };
};

test("what was written is there after a stop and a start, at the same address", async () => {
  await furnish();
  const first = await start();
  await query(first.url, "create table kept (id integer); insert into kept values (42)");
  await first[Symbol.asyncDispose]();
  expect(await postmasterPid()).toBeNaN();
  await using second = await start();
  expect(second.url).toBe(first.url);
  expect(await embeddedUrl(dataDir)).toBe(first.url);
  expect(await query(second.url, "select id from kept")).toEqual([{ id: 42 }]);
});

test("the programs' role is no superuser and owns nothing, also in a data folder that did not have it", async () => {
  await furnish();
  const rights = "select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls from pg_roles where rolname = current_user";
  const none = [{ rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolbypassrls: false }];
  const first = await start();
  expect(await query(first.everydayUrl, rights)).toEqual(none);
  await expect(query(first.everydayUrl, "create table planted (id integer)")).rejects.toMatchObject({ code: "42501" });
  const elsewhere = Object.assign(new URL(first.everydayUrl), { pathname: "/postgres" });
  await expect(query(elsewhere.href, "select 1")).rejects.toMatchObject({ code: "42501" });
  await query(first.url, "drop owned by tidings_everyday; drop role tidings_everyday");
  await first[Symbol.asyncDispose]();
  await rm(join(dataDir, "postgres-everyday-password"));
  await using second = await start();
  expect(second.everydayUrl).not.toBe(first.everydayUrl);
  expect(await query(second.everydayUrl, rights)).toEqual(none);
  expect((await stat(join(dataDir, "postgres-everyday-password"))).mode & 0o777).toBe(0o600);
});

test("it listens on loopback alone, wants its password, and keeps both secrets to the owner", async () => {
  await furnish();
  await using postgres = await start();
  expect(
    await query(postgres.url, "select current_setting('listen_addresses') as at, current_setting('unix_socket_directories') as sockets"),
  ).toEqual([{ at: "127.0.0.1", sockets: "" }]);
  const wrong = new URL(postgres.url);
  wrong.password = "guessed";
  await expect(query(wrong.href, "select 1")).rejects.toThrow(/password authentication failed/);
  expect((await stat(join(dataDir, "postgres-password"))).mode & 0o777).toBe(0o600);
});

test("a second start over a folder in use says so in one line", async () => {
  await furnish();
  await using _running = await start();
  await expect(start()).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^DATA_DIR .* is in use by process \d+: .*$/),
  });
});

test("kill -9 of whoever started it takes PostgreSQL down too, and the next start finds the data", async () => {
  await furnish();
  await using owner = await startOwner();
  await query(owner.url, "create table kept (id integer); insert into kept values (7)");
  const pid = await postmasterPid();
  await owner.kill("SIGKILL");
  await waitFor("PostgreSQL to end", () => processIdentity(pid) === undefined);
  await using again = await start();
  expect(await query(again.url, "select id from kept")).toEqual([{ id: 7 }]);
});

test("a start right after kill -9 does not wait for anybody to clean up", async () => {
  await furnish();
  await using owner = await startOwner();
  await query(owner.url, "create table kept (id integer)");
  await owner.kill("SIGKILL");
  await using again = await start();
  expect(await query(again.url, "select id from kept")).toEqual([]);
});

test("a killed PostgreSQL comes back at the same address, with what was committed", async () => {
  await furnish();
  await using postgres = await startPostgres({ dataDir, durable: true });
  await query(postgres.url, "create table kept (id integer); insert into kept values (1)");
  const pid = await postmasterPid();
  process.kill(pid, "SIGKILL");
  const rows = await waitFor("PostgreSQL to answer again", async () => {
    const now = await postmasterPid();
    return Number.isInteger(now) && now !== pid && query(postgres.url, "select id from kept").catch(() => undefined);
  });
  expect(rows).toEqual([{ id: 1 }]);
});

test("a pid file that names another program is cleared away", async () => {
  await furnish();
  const first = await start();
  await first[Symbol.asyncDispose]();
  expect(commandLine(process.pid)).not.toContain(dataDir);
  await writeFile(join(dataDir, "postgres/postmaster.pid"), `${process.pid}\n${dataDir}/postgres\n`);
  await using again = await start();
  expect(await query(again.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a cluster of another major version is refused with one line", async () => {
  await furnish();
  await writeFile(join(dataDir, "postgres/PG_VERSION"), "15\n");
  await expect(start()).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^DATA_DIR holds a database of PostgreSQL 15 .*pg_dump.*$/),
  });
});

test("a creation that was interrupted is thrown away", async () => {
  await mkdir(join(dataDir, "postgres.new-1234"));
  await writeFile(join(dataDir, "postgres.new-1234/half"), "");
  await using postgres = await start();
  expect(await query(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await expect(stat(join(dataDir, "postgres.new-1234"))).rejects.toThrow(/ENOENT/);
});

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)(
  "a cluster that root made in a user namespace goes with it to where there are none, as another user, and stays",
  async () => {
    await furnish();
    const first = await start();
    await query(first.url, "create table kept (id integer); insert into kept values (3)");
    await first[Symbol.asyncDispose]();
    const second = await startPostgres({ dataDir, durable: false, userNamespace: false });
    expect((await stat(join(dataDir, "postgres-home/postgres"))).uid).not.toBe(0);
    expect(await query(second.url, "select id from kept")).toEqual([{ id: 3 }]);
    await second[Symbol.asyncDispose]();
    await using third = await start();
    expect(await query(third.url, "select id from kept")).toEqual([{ id: 3 }]);
    await expect(stat(join(dataDir, "postgres"))).rejects.toThrow(/ENOENT/);
  },
);

test.runIf(isRoot)("as root below a folder that other users may not enter, the data moves out and is found again", async () => {
  await chmod(dataDir, 0o700);
  const inner = join(dataDir, "inner");
  const options = { dataDir: inner, durable: false, userNamespace: false };
  const first = await startPostgres(options);
  const outside = await readFile(join(inner, "postgres-home-outside"), "utf8");
  try {
    await query(first.url, "create table kept (id integer)");
    await first[Symbol.asyncDispose]();
    await using second = await startPostgres(options);
    expect(await query(second.url, "select id from kept")).toEqual([]);
    expect(outside.startsWith(dataDir)).toBe(false);
  } finally {
    await rm(outside, { recursive: true, force: true });
  }
});

test.runIf(isRoot)("a folder of another user is refused with one line, and nothing is written there", async () => {
  await chown(dataDir, 65_534, 65_534);
  await expect(start()).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^DATA_DIR .* belongs to another user \(uid 65534, not 0\): .*$/),
  });
  expect(await readdir(dataDir)).toEqual([]);
});

test("a file in the folder's place is refused with one line", async () => {
  await rm(dataDir, { recursive: true });
  await writeFile(dataDir, "");
  await expect(start()).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^DATA_DIR .* is not a folder: .*$/),
  });
});

test.runIf(process.platform === "linux")("a folder that cannot be made is refused with one line", async () => {
  await expect(startPostgres({ dataDir: "/proc/nothing/inside", durable: false })).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^DATA_DIR \/proc\/nothing\/inside cannot be made \(ENOENT\): .*$/),
  });
});
