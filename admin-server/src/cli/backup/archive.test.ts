import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { pack } from "tar-stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { authenticate, manifestName, type Member, readArchive, requireAuthentic, verifyBackup, writeArchive } from "./archive.ts";
import { readIdentities } from "./encryption.ts";

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

describe("an archive that was made to harm", () => {
  test("is refused when a file of it is larger than any of a backup, before that is read", async () => {
    const archive = pack();
    archive.entry({ name: "tables/0.copy", size: 2 ** 40 });
    const file = join(folder, "bomb.tar.gz");
    const [header] = (await once(archive, "data")) as [Buffer];
    await writeFile(file, gzipSync(header));
    await expect(verifyBackup(file)).rejects.toThrow(/is no whole backup \(tables\/0\.copy has more than 1100 MB\)/);
  });

  test("is refused when a file is in it twice, since its rows would be too", async () => {
    const write = async (name: string): Promise<string> =>
      writeArchive(join(folder, name), new Date(), async function* () {
        yield { name: "tables/0.copy", data: Buffer.from("1\n") };
      });
    const whole = await readFile(await write("one.tar.gz"));
    const file = join(folder, "two.tar.gz");
    await writeFile(file, Buffer.concat([whole, whole]));
    await expect(verifyBackup(file)).rejects.toThrow(/is no whole backup \(tables\/0\.copy is in it twice\)/);
  });
});

describe("an encrypted backup", () => {
  const data = randomBytes(300_000);
  const write = async (recipient: string, name = "one.tar.gz.age"): Promise<string> =>
    writeArchive(
      join(folder, name),
      new Date(),
      async function* () {
        yield { name: "tables/0.copy", data };
      },
      recipient,
    );
  const read = async (file: string, identities: string[]): Promise<Member[]> => {
    const members: Member[] = [];
    for await (const member of readArchive(file, identities)) members.push(member);
    return members;
  };

  test("opens with its recipient's identity alone, as a file of age-keygen holds it", async () => {
    const identity = await generateX25519Identity();
    const file = await write(await identityToRecipient(identity));
    expect((await readFile(file)).subarray(0, 21).toString()).toBe("age-encryption.org/v1");
    const identityFile = join(folder, "identity.txt");
    await writeFile(identityFile, `# created: today\n# public key: age1…\n${identity}\n`);
    expect(await read(file, await readIdentities(identityFile))).toEqual([{ name: "tables/0.copy", data }]);
    await expect(read(file, [])).rejects.toThrow(/is encrypted: set BACKUP_IDENTITY_FILE/);
    await expect(read(file, [await generateX25519Identity()])).rejects.toThrow(/cannot be opened .*check BACKUP_IDENTITY_FILE/);
    await writeFile(identityFile, "nothing");
    await expect(readIdentities(identityFile)).rejects.toThrow(/holds no age identity/);
    await expect(write("age1wrong", "two")).rejects.toThrow(/^BACKUP_RECIPIENT must be an age recipient/);
  });

  test("that was cut off, also between two pieces, or altered, or whose pieces are in another order, is refused", async () => {
    const identity = await generateX25519Identity();
    const whole = await readFile(await write(await identityToRecipient(identity)));
    const piece = 65_536 + 16;
    const begin = whole.indexOf("\n--- ") + 1 + "--- ".length + 43 + 1 + 16;
    const pieces = [0, 1, 2].map((n) => whole.subarray(begin + n * piece, begin + (n + 1) * piece));
    const [first, second, third] = pieces as [Buffer, Buffer, Buffer];
    const head = whole.subarray(0, begin);
    const rest = whole.subarray(begin + 3 * piece);
    const altered = Buffer.from(whole);
    altered[begin + piece + 7] = (altered[begin + piece + 7] ?? 0) ^ 1;
    const damaged = [
      whole.subarray(0, begin + 2 * piece),
      whole.subarray(0, whole.length - 1),
      whole.subarray(0, begin + 10),
      whole.subarray(0, 100),
      altered,
      Buffer.concat([head, second, first, third, rest]),
      Buffer.concat([head, first, third, rest]),
      Buffer.concat([whole, first]),
    ];
    for (const [at, bytes] of damaged.entries()) {
      const file = join(folder, `damaged-${at}`);
      await writeFile(file, bytes);
      await expect(verifyBackup(file, [identity]), `the damage ${at}`).rejects.toMatchObject({ name: "ConfigurationError" });
    }
  });
});

describe("a backup's authentication", () => {
  const masterKey = randomBytes(32);
  const manifest = {
    format: "tidings-backup",
    version: 2,
    createdAt: "2026-11-22T10:00:00.000Z",
    migrations: [{ number: 17, name: "0017_vault_key.sql", checksum: "x" }],
    tables: [],
    weeks: [],
    masterKey: { id: "id", included: false },
    checksums: {},
  };
  const write = async (described: object, mac: Buffer | null): Promise<string> =>
    writeArchive(join(folder, `${randomBytes(4).toString("hex")}.tar.gz`), new Date(), async function* () {
      const data = Buffer.from(JSON.stringify(described));
      yield { name: manifestName, data };
      if (mac !== null) yield authenticate(data, mac);
    });

  test("is right under the master key that it was made with, and under no other", async () => {
    const file = await write(manifest, masterKey);
    const backup = await verifyBackup(file);
    requireAuthentic(file, backup, masterKey);
    expect(() => requireAuthentic(file, backup, randomBytes(32))).toThrow(/was changed since it was made/);
    const made = await verifyBackup(await write({ ...manifest, createdAt: "2026-11-22T11:00:00.000Z" }, randomBytes(32)));
    expect(() => requireAuthentic(file, made, masterKey)).toThrow(/was changed since it was made/);
  });

  test("cannot be left out, also not by calling it a backup of an earlier version", async () => {
    await expect(verifyBackup(await write(manifest, null))).rejects.toThrow(/its authentication is missing/);
    await expect(verifyBackup(await write({ ...manifest, version: 1 }, null))).rejects.toThrow(/its authentication is missing/);
  });
});

/** An archive of version 0.1.0. */
const earlier =
  "H4sIAAAAAAAAA+2WTWvcMBCG99r+ijBn72b0vdIt5157aghFH+PE9dpOLbtlWfa/F2/6AS3BtGyXkvq5jNC8jATi1Uzj80D9uqb96q+BiKgRTxF/jVN2xZSY" +
  "olBm2jfGiNUVzhU+B2MefL/Ci5z1D+Kvatq/nlMtvFQGH3aUrxFx7WPsxna4frLkJnaPZ/oTftv/jGtUi/8vAXt1k/zi//+WxrdVSXnYfMhdOyf+Q+b8rzn+" +
  "5H+Uhi/+vwQHKLu+8QM4GKpUtfd5HXysx0co4BP1uepacKyA2JMfKN1MQo5crxlbc3zLlBPoEDeI+A4KaKr73g9V12ZwtwdoxyZQfyrQ+obAASKy97HraZM/" +
  "7qCA+ECxzmMzpeB4V8BTQwJ3e1fAZ6L667I5zalvaA/uAFU6yQuo2rgbEyVwQz/S8Ue5PMma77MtOIgGldSMLCMrbFlatY2hlDEFZFutJUmJWvDgQ2kSI0PJ" +
  "SkEmGhm5DaGEb1d7rleCA5GUlUprLhRjZisVT1aaUguuYrQhhDJRlAKFZEqhDVLYlBIzTPrIWNJwPM6918LCwsK5+AJG8DP5ABAAAA==";

test("a backup of an earlier version is readable", async () => {
  const file = join(folder, "earlier.tar.gz");
  await writeFile(file, Buffer.from(earlier, "base64"));
  expect(await verifyBackup(file)).toMatchObject({
    authentication: null,
    masterKey: "a key",
    manifest: { createdAt: "2026-11-20T15:30:00.000Z" },
  });
});
