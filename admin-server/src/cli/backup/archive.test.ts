import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readArchive, verifyBackup, writeArchive } from "./archive.ts";

const sha256 = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tidings-archive-"));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

test("members come out as they went in, also empty ones and ones of several pieces", async () => {
  const sizes = [0, 1, 512, 100_000, 1_000_000];
  const members = sizes.map((size, index) => ({ name: `tables/${index}.copy`, data: Buffer.alloc(size, index) }));
  const file = await writeArchive(join(folder, "one.tar.gz"), new Date(), async function* () {
    yield* members;
  });
  const read: [string, string][] = [];
  for await (const { name, data } of readArchive(file)) read.push([name, sha256(data)]);
  expect(read).toEqual(members.map(({ name, data }) => [name, sha256(data)]));
});

test("a backup whose members fail leaves no file", async () => {
  const writing = writeArchive(join(folder, "one.tar.gz"), new Date(), async function* () {
    yield { name: "tables/0.copy", data: Buffer.alloc(1_000_000) };
    throw new Error("the database is gone");
  });
  await expect(writing).rejects.toThrow("the database is gone");
  expect(await readdir(folder)).toEqual([]);
});

/** Made by version 0.1.0. */
const earlier =
  "H4sIAAAAAAAAA+2WTWvcMBCG99r+ijBn72b0vdIt5157aghFH+PE9dpOLbtlWfa/F2/6AS3BtGyXkvq5jNC8jATi1Uzj80D9uqb96q+BiKgRTxF/jVN2xZSY" +
  "olBm2jfGiNUVzhU+B2MefL/Ci5z1D+Kvatq/nlMtvFQGH3aUrxFx7WPsxna4frLkJnaPZ/oTftv/jGtUi/8vAXt1k/zi//+WxrdVSXnYfMhdOyf+Q+b8rzn+" +
  "5H+Uhi/+vwQHKLu+8QM4GKpUtfd5HXysx0co4BP1uepacKyA2JMfKN1MQo5crxlbc3zLlBPoEDeI+A4KaKr73g9V12ZwtwdoxyZQfyrQ+obAASKy97HraZM/" +
  "7qCA+ECxzmMzpeB4V8BTQwJ3e1fAZ6L667I5zalvaA/uAFU6yQuo2rgbEyVwQz/S8Ue5PMma77MtOIgGldSMLCMrbFlatY2hlDEFZFutJUmJWvDgQ2kSI0PJ" +
  "SkEmGhm5DaGEb1d7rleCA5GUlUprLhRjZisVT1aaUguuYrQhhDJRlAKFZEqhDVLYlBIzTPrIWNJwPM6918LCwsK5+AJG8DP5ABAAAA==";

test("a backup of an earlier version is readable", async () => {
  const file = join(folder, "earlier.tar.gz");
  await writeFile(file, Buffer.from(earlier, "base64"));
  expect(await verifyBackup(file)).toMatchObject({ masterKey: "a key", manifest: { createdAt: "2026-11-20T15:30:00.000Z" } });
});
