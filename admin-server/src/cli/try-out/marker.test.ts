import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readStartConfig } from "../config.ts";
import { beginTryOut } from "./marker.ts";

let parent = "";
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "tidings-try-out-"));
});
afterEach(async () => rm(parent, { recursive: true, force: true }));

const dataDir = () => join(parent, "data");
const begin = async (environment: Record<string, string> = {}) => beginTryOut(readStartConfig({ DATA_DIR: dataDir(), ...environment }));

test("an absent or an empty folder begins a try-out, with a password of its own", async () => {
  const absent = await begin();
  expect(absent?.password).toMatch(/^[\w-]{16}$/);
  await rm(dataDir(), { recursive: true });
  await mkdir(dataDir());
  const empty = await begin();
  expect(empty?.password).toMatch(/^[\w-]{16}$/);
  expect(empty?.password).not.toBe(absent?.password);
  expect((await stat(join(dataDir(), "try-out"))).mode & 0o777).toBe(0o600);
});

test("one that was cut short goes on with the same password, one that was finished does not", async () => {
  const first = await begin();
  const second = await begin();
  expect(second?.password).toBe(first?.password);
  await second?.finish();
  await writeFile(join(dataDir(), "master-key"), "x");
  expect(await begin()).toBeNull();
});

test("a folder that holds anything, a database or a platform of one's own begin none, and leave nothing", async () => {
  await mkdir(dataDir());
  expect(await begin({ PLATFORM_API_URL: "https://graph.facebook.com" })).toBeNull();
  expect(await begin({ DATABASE_URL: "postgres://localhost/x", MASTER_KEY: Buffer.alloc(32).toString("base64") })).toBeNull();
  expect(await readdir(dataDir())).toEqual([]);
  await writeFile(join(dataDir(), "something"), "");
  expect(await begin()).toBeNull();
  expect(await readdir(dataDir())).toEqual(["something"]);
});
