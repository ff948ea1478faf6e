import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, afterEach, beforeEach } from "vitest";
import { finishKeyFiles, keptMasterKey, keptMasterKeys, makeNextKey } from "./database.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tidings-key-"));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

test("the key is made once, kept to the owner, and the same ever after", async () => {
  const key = await keptMasterKey(folder);
  expect(key).toHaveLength(32);
  expect(await keptMasterKey(folder)).toEqual(key);
  expect((await stat(join(folder, "master-key"))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["master-key"]);
});

test("a damaged key is refused rather than replaced: it would make everything stored unreadable", async () => {
  await writeFile(join(folder, "master-key"), "damaged");
  await expect(keptMasterKey(folder)).rejects.toMatchObject({ name: "ConfigurationError", message: expect.stringContaining("restore it") });
});

test("a rotation keeps both keys until it is done, and an interrupted one goes on with the same", async () => {
  const key = await keptMasterKey(folder);
  const { next, former } = await makeNextKey(folder);
  expect([former, next.equals(former)]).toEqual([key, false]);
  expect((await stat(join(folder, "master-key.next"))).mode & 0o777).toBe(0o600);
  expect(await makeNextKey(folder)).toEqual({ next, former });
  expect(await keptMasterKeys(folder)).toEqual({ masterKey: next, masterKeyOld: key });
  await finishKeyFiles(folder);
  expect(await keptMasterKeys(folder)).toEqual({ masterKey: next });
  expect(await readdir(folder)).toEqual(["master-key"]);
  expect((await stat(join(folder, "master-key"))).mode & 0o777).toBe(0o600);
});
