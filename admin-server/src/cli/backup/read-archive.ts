import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { ConfigurationError } from "shared/server/configuration-error";
import { MANIFEST, type Manifest, manifestSchema, MASTER_KEY_FILE } from "./manifest.ts";
import { type Member, readTar } from "./tar.ts";

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
