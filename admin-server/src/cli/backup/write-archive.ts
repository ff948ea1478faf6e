import { createHash } from "node:crypto";
import { link, open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { ConfigurationError } from "shared/server/configuration-error";
import { type Member, tarEnd, tarMember } from "./tar.ts";

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
