import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, link, open, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { keyId } from "shared/secrets/vault";
import { ConfigurationError } from "shared/server/configuration-error";
import { z } from "zod";
import { keptMasterKey, storeMasterKey } from "../config.ts";

export interface KeyPlace {
  /** From MASTER_KEY. */
  given: Buffer | undefined;
  /** Where `npm start` keeps its own; undefined with a DATABASE_URL. */
  dataDir: string | undefined;
}

export interface KeyToBackUp {
  id: string;
  key: Buffer;
  /** Whether it goes into the backup. One that was given is its owner's to keep. */
  included: boolean;
}

/** The key of what is to be backed up. */
export async function keyToBackUp({ given, dataDir }: KeyPlace): Promise<KeyToBackUp> {
  if (given !== undefined) return { id: keyId(given), key: given, included: false };
  if (dataDir === undefined)
    throw new ConfigurationError(["MASTER_KEY must be set with DATABASE_URL: the backup notes which key its secrets need"]);
  const key = Buffer.from(await keptMasterKey(dataDir), "base64");
  return { id: keyId(key), key, included: true };
}

/**
 * Sees to it that the restored secrets can be read: throws a `ConfigurationError` when another key is in their place, or theirs is not to be had. Answers how
 * to put the backup's own key in its place; null when there is nothing to do.
 */
export async function keyToRestore(
  file: string,
  { manifest, masterKey }: VerifiedBackup,
  { given, dataDir }: KeyPlace,
): Promise<(() => Promise<void>) | null> {
  const isRight = (key: Buffer): boolean => keyId(key) === manifest.masterKey.id;
  if (given !== undefined) {
    if (isRight(given)) return null;
    throw new ConfigurationError([
      `MASTER_KEY is another key than the one that the backup's secrets are encrypted with: ${howToGet(file, masterKey)}`,
    ]);
  }
  if (dataDir === undefined) throw new ConfigurationError([`MASTER_KEY must be set with DATABASE_URL: ${howToGet(file, masterKey)}`]);
  const kept = await readFile(join(dataDir, "master-key"), "utf8").catch(() => null);
  if (kept !== null) {
    if (isRight(Buffer.from(kept.trim(), "base64"))) return null;
    throw new ConfigurationError([`DATA_DIR ${dataDir} holds another master key than the backup's: restore into another folder`]);
  }
  if (masterKey === null) throw new ConfigurationError([`the backup's secrets need its MASTER_KEY: ${howToGet(file, masterKey)}`]);
  return async () => storeMasterKey(dataDir, masterKey);
}

const howToGet = (file: string, masterKey: string | null): string =>
  masterKey === null ? "set the MASTER_KEY that the installation ran with" : `"tar -xzOf ${file} master-key" shows the right one`;

/** The members of a compressed archive. */
export async function* readArchive(file: string): AsyncGenerator<Member> {
  const gunzip = createGunzip();
  const flowing = pipeline(createReadStream(file), gunzip);
  flowing.catch(() => undefined);
  yield* readTar(gunzip);
}

/** What a backup that was found whole and unchanged says of itself, and the master key in it, if it has one. */
export interface VerifiedBackup {
  manifest: Manifest;
  masterKey: string | null;
}

/** Reads a backup from its beginning to its end, and compares every file in it with the manifest. Throws a `ConfigurationError` that says what is wrong. */
export async function verifyBackup(file: string): Promise<VerifiedBackup> {
  const sums = new Map<string, string>();
  let manifestText: string | null = null;
  let masterKey: string | null = null;
  try {
    for await (const { name, data } of readArchive(file)) {
      if (name === MANIFEST) manifestText = data.toString("utf8");
      else sums.set(name, createHash("sha256").update(data).digest("hex"));
      if (name === MASTER_KEY_FILE) masterKey = data.toString("utf8").trim();
    }
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const why = missing ? "is not there" : `is no whole backup (${error instanceof Error ? error.message : String(error)})`;
    throw new ConfigurationError([`${file} ${why}: name a file that npm run backup has made`], { cause: error });
  }
  const manifest = parseManifest(file, manifestText);
  const wrong = Object.entries(manifest.checksums).find(([name, sum]) => sums.get(name) !== sum)?.[0];
  const strange = [...sums.keys()].find((name) => !(name in manifest.checksums));
  if (wrong !== undefined || strange !== undefined) {
    throw new ConfigurationError([`${file} was changed or damaged since it was made (${wrong ?? strange ?? ""}): take another backup`]);
  }
  return { manifest, masterKey };
}

function parseManifest(file: string, text: string | null): Manifest {
  const json = ((): unknown => {
    try {
      return text === null ? null : JSON.parse(text);
    } catch {
      return null;
    }
  })();
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const version = typeof json === "object" && json !== null && "version" in json ? json.version : null;
  const why = version === null || version === 1 ? "is no backup of this program" : "was made by a newer version: restore it with that one";
  throw new ConfigurationError([`${file} ${why}`]);
}

/** The names of a backup's own files. */
export const MANIFEST = "manifest.json";
export const MASTER_KEY_FILE = "master-key";

/** What a backup says of itself; the last file in it, so that one that is cut off has none. */
const manifestSchema = z.object({
  format: z.literal("tidings-backup"),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  migrations: z.array(z.object({ number: z.int(), name: z.string(), checksum: z.string() })).min(1),
  /** In the order in which they are loaded. */
  tables: z.array(
    z.object({
      schema: z.string(),
      name: z.string(),
      columns: z.array(z.string()),
      identity: z.string().nullable(),
      rows: z.int(),
      files: z.array(z.string()),
    }),
  ),
  weeks: z.array(z.string()),
  /** Names the master key without telling it; `included`: whether it lies in the backup. */
  masterKey: z.object({ id: z.string(), included: z.boolean() }),
  /** SHA-256, hex, of every other file. */
  checksums: z.record(z.string(), z.string()),
});
export type Manifest = z.output<typeof manifestSchema>;

/** Of each file that has been written so far, its SHA-256 in hex. */
export type Checksums = Record<string, string>;

/**
 * Writes members into a compressed archive that only its owner may read. It appears under its name when it is whole and on the disk, and never in the place of
 * another file.
 */
export async function writeArchive(
  path: string,
  createdAt: Date,
  members: (checksums: Checksums) => AsyncIterable<Member>,
): Promise<string> {
  const file = resolve(path);
  const draft = `${file}.part`;
  const checksums: Checksums = {};
  async function* blocks(): AsyncGenerator<Buffer> {
    for await (const member of members(checksums)) {
      checksums[member.name] = createHash("sha256").update(member.data).digest("hex");
      yield tarMember(member, createdAt);
    }
    yield tarEnd();
  }
  // Opened before anything is read, so that what cannot be written shows at once.
  const handle = await open(draft, "wx", 0o600).catch((error: unknown) => refuse(draft, error));
  try {
    await pipeline(Readable.from(blocks(), { highWaterMark: 2 }), createGzip({ level: 5 }), handle.createWriteStream({ flush: true }));
    await link(draft, file).catch((error: unknown) => refuse(file, error));
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
  return file;
}

function refuse(file: string, error: unknown): never {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  const why = code === "EEXIST" ? "is there already: name another file, or remove it" : `cannot be written (${code}): name another file`;
  throw new ConfigurationError([`${file} ${why}`], { cause: error });
}

const BLOCK = 512;

/** A file in an archive. */
export interface Member {
  name: string;
  data: Buffer;
}

/** A member as the tar format (ustar) has it, readable and writable by its owner alone. `name` has at most 100 bytes. */
function tarMember({ name, data }: Member, mtime: Date): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for an archive`);
  header.write(name, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(data.length, 12), 124);
  header.write(octal(Math.floor(mtime.getTime() / 1000), 12), 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\0" + "00", 257);
  header.write(octal(sumOf(header), 7), 148);
  return Buffer.concat([header, data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)]);
}

/** What ends an archive. */
const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK);

/** The members of an archive that comes in pieces. Throws when it is none, or is cut off. */
async function* readTar(pieces: AsyncIterable<Buffer>): AsyncGenerator<Member> {
  const reader = createReader(pieces);
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header.every((byte) => byte === 0)) return reader.drain();
    const { name, size } = parseHeader(header);
    const data = await reader.take(size);
    await reader.take((BLOCK - (size % BLOCK)) % BLOCK);
    yield { name, data };
  }
}

const largest = 1 << 30;

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (start: number, length: number): string => header.toString("utf8", start, start + length).replace(/\0.*$/s, "");
  const number = (start: number, length: number): number => Number.parseInt(text(start, length).trim(), 8);
  const summed = Buffer.from(header);
  summed.write("        ", 148);
  const size = number(124, 12);
  if (text(257, 5) !== "ustar" || number(148, 8) !== sumOf(summed) || !(size <= largest))
    throw new Error("not an archive, or a damaged one");
  return { name: text(0, 100), size };
}

function createReader(pieces: AsyncIterable<Buffer>) {
  const source = pieces[Symbol.asyncIterator]();
  let waiting: Buffer[] = [];
  let length = 0;
  return {
    /** What follows is read too: only its end shows that the whole is unharmed. */
    async drain(): Promise<void> {
      while ((await source.next()).done !== true);
    },
    async take(size: number): Promise<Buffer> {
      while (length < size) {
        const next = await source.next();
        if (next.done === true) throw new Error("the archive is cut off");
        waiting.push(next.value);
        length += next.value.length;
      }
      const all = Buffer.concat(waiting);
      waiting = [all.subarray(size)];
      length -= size;
      return all.subarray(0, size);
    },
  };
}

const sumOf = (header: Buffer): number => header.reduce((sum, byte) => sum + byte, 0);
