import { createHash, createHmac } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { attempt } from "shared/core/text";
import { isSameSecret } from "shared/secrets/signature";
import { ConfigurationError } from "shared/server/configuration-error";
import { extract, pack, type Pack } from "tar-stream";
import { z } from "zod";
import { decryptWith, encryptTo, isEncrypted } from "./encryption.ts";

/** A file in a backup. */
export interface Member {
  name: string;
  data: Buffer;
}

export const manifestName = "manifest.json";
export const masterKeyName = "master-key";
/** Authenticates the manifest, and by its checksums everything. It is the last file, so a backup that was cut off has none. */
const macName = "manifest.mac";

/** Describes a backup. It comes after everything that it describes. */
const manifestSchema = z.object({
  format: z.literal("tidings-backup"),
  /** Version 1 is that of earlier programs, which did not authenticate a backup. */
  version: z.union([z.literal(1), z.literal(2)]),
  createdAt: z.iso.datetime(),
  migrations: z.array(z.object({ number: z.int(), name: z.string(), checksum: z.string() })).min(1),
  /** The tables in loading order. */
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
  /** `id` identifies the master key without revealing it; `included`: the key is in the backup. */
  masterKey: z.object({ id: z.string(), included: z.boolean() }),
  /** SHA-256, hex, of every other file. */
  checksums: z.record(z.string(), z.string()),
});
export type Manifest = z.output<typeof manifestSchema>;

/** SHA-256, hex, of each file written so far. */
export type Checksums = Record<string, string>;

/**
 * Writes members into a compressed archive that only its owner may read. The file appears under its name once it is complete and flushed to disk, and never
 * replaces another file.
 */
export async function writeArchive(
  path: string,
  createdAt: Date,
  members: (checksums: Checksums) => AsyncIterable<Member>,
  recipient?: string,
): Promise<string> {
  const encrypt = recipient === undefined ? undefined : encryptTo(recipient);
  const file = resolve(path);
  const draft = `${file}.part`;
  const checksums: Checksums = {};
  // Opens the file before anything is read, so that an unwritable one shows at once.
  const handle = await open(draft, "wx", 0o600).catch((error: unknown) => refuse(draft, error));
  const archive = pack();
  const fill = async (): Promise<void> => {
    for await (const member of members(checksums)) {
      checksums[member.name] = sha256(member.data);
      await addMember(archive, member, createdAt);
    }
    archive.finalize();
  };
  // A failure of either ends the other.
  const filled = fill().catch((error: Error) => void archive.destroy(error));
  try {
    const [gzip, target] = [createGzip({ level: 5 }), handle.createWriteStream({ flush: true })];
    if (encrypt === undefined) await pipeline(archive, gzip, target);
    else await pipeline(archive, gzip, encrypt, target);
    await link(draft, file).catch((error: unknown) => refuse(file, error));
  } finally {
    await filled;
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

/** Waits until the archive has room for the next member. */
const addMember = async (archive: Pack, { name, data }: Member, mtime: Date): Promise<void> =>
  new Promise((done, fail) => {
    archive.entry({ name, mode: 0o600, mtime }, data, (error) => (error ? fail(error) : done())).on("error", fail);
  });

/** The largest file in a backup, in MB. A file of rows exceeds its usual size by one row at most, and PostgreSQL gives no row of more than a gigabyte. */
const largestMember = 1_100;

/**
 * The members of a compressed archive, which `identities` open if it is encrypted. Throws when the file is no archive, is damaged or is cut off within a
 * member, or has a member that is too large for memory.
 */
export async function* readArchive(file: string, identities: readonly string[] = []): AsyncGenerator<Member> {
  const archive = extract();
  const flowing = (await isEncrypted(file))
    ? pipeline(createReadStream(file), decryptWith(identities, file), createGunzip(), archive)
    : pipeline(createReadStream(file), createGunzip(), archive);
  flowing.catch(() => undefined);
  for await (const entry of archive) {
    const { name, size = 0 } = entry.header;
    if (size > largestMember * 1_000_000) throw new RangeError(`${name} has more than ${largestMember} MB`);
    const pieces: Buffer[] = [];
    for await (const piece of entry) pieces.push(piece);
    yield { name, data: Buffer.concat(pieces) };
  }
  await flowing;
}

export type VerifiedBackup = Awaited<ReturnType<typeof verifyBackup>>;

/** The last file of a backup. `masterKey`: the one that its secrets are encrypted with. */
export const authenticate = (manifest: Buffer, masterKey: Buffer): Member => ({
  name: macName,
  data: Buffer.from(macOf(manifest, masterKey)),
});

function macOf(manifest: Buffer | string, masterKey: Buffer): string {
  const key = createHmac("sha256", masterKey).update("tidings backup").digest();
  return createHmac("sha256", key).update(manifest).digest("hex");
}

/** @throws ConfigurationError if anything in the backup was changed by somebody without the master key */
export function requireAuthentic(file: string, { authentication }: VerifiedBackup, masterKey: Buffer): void {
  if (authentication === null) return;
  if (!isSameSecret(authentication.mac, macOf(authentication.text, masterKey)))
    throw new ConfigurationError([`${file} was changed since it was made (its authentication is wrong): take another backup`]);
}

/** The first migration of the versions that authenticate their backups. */
const authenticatedSince = 17;

/**
 * Reads a whole backup and compares every file in it with the manifest. Throws a `ConfigurationError` that says what is wrong. `masterKey`: base64, null when
 * the backup does not include it; `authentication`: null in a backup of an earlier version.
 */
export async function verifyBackup(file: string, identities: readonly string[] = []) {
  const sums = new Map<string, string>();
  const names = new Set<string>();
  let manifestText: string | null = null;
  let masterKey: string | null = null;
  let mac: string | null = null;
  try {
    for await (const { name, data } of readArchive(file, identities)) {
      if (names.has(name)) throw new Error(`${name} is in it twice`);
      names.add(name);
      if (name === manifestName) manifestText = data.toString("utf8");
      else if (name === macName) mac = data.toString("utf8");
      else sums.set(name, sha256(data));
      if (name === masterKeyName) masterKey = data.toString("utf8").trim();
    }
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const why = missing ? "is not there" : `is no whole backup (${error instanceof Error ? error.message : String(error)})`;
    throw new ConfigurationError([`${file} ${why}: name a file that npm run backup has made`], { cause: error });
  }
  const manifest = parseManifest(file, manifestText);
  const changed = Object.entries(manifest.checksums).find(([name, sum]) => sums.get(name) !== sum)?.[0];
  const added = [...sums.keys()].find((name) => !(name in manifest.checksums));
  if (changed !== undefined || added !== undefined)
    throw new ConfigurationError([`${file} was changed or damaged since it was made (${changed ?? added ?? ""}): take another backup`]);
  const isEarlier = manifest.version === 1 && manifest.migrations.every(({ number }) => number < authenticatedSince);
  if (isEarlier) return { manifest, masterKey, authentication: null };
  if (mac === null || manifestText === null)
    throw new ConfigurationError([`${file} was cut off or changed since it was made (its authentication is missing): take another backup`]);
  return { manifest, masterKey, authentication: { text: manifestText, mac } };
}

function parseManifest(file: string, text: string | null): Manifest {
  const json = attempt((): unknown => JSON.parse(text ?? "null"), null);
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const version = typeof json === "object" && json !== null && "version" in json ? json.version : null;
  const why =
    version === null || version === 1 || version === 2
      ? "is no backup of this program"
      : "was made by a newer version: restore it with that one";
  throw new ConfigurationError([`${file} ${why}`]);
}

/** In hex. */
export const sha256 = (data: Buffer): string => createHash("sha256").update(data).digest("hex");
