import { open, readFile } from "node:fs/promises";
import { ReadableStream } from "node:stream/web";
import { Decrypter, Encrypter } from "age-encryption";
import { ConfigurationError } from "shared/server/configuration-error";

type Bytes = AsyncIterable<Uint8Array>;

/** Encrypts a stream in the age format, piece by piece. @throws ConfigurationError when the recipient is none */
export function encryptTo(recipient: string): (source: Bytes) => Bytes {
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch (cause) {
    throw new ConfigurationError(['BACKUP_RECIPIENT must be an age recipient, which begins with "age1"; "age-keygen" makes one'], {
      cause,
    });
  }
  return async function* encrypted(source) {
    yield* await encrypter.encrypt(streamOf(source));
  };
}

/**
 * Decrypts a stream in the age format, piece by piece. It ends with an error when a piece was changed, is missing, or is out of order.
 * @throws ConfigurationError when no identity opens it
 */
export function decryptWith(identities: readonly string[], file: string): (source: Bytes) => Bytes {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  return async function* decrypted(source) {
    if (identities.length === 0)
      throw new ConfigurationError([`${file} is encrypted: set BACKUP_IDENTITY_FILE to the file that holds its age identity`]);
    const opened = await decrypter.decrypt(streamOf(source)).catch((cause: unknown) => {
      throw new ConfigurationError([`${file} cannot be opened (${String(cause)}): check BACKUP_IDENTITY_FILE, or take another backup`], {
        cause,
      });
    });
    yield* opened;
  };
}

/** The library declares the browser's type of streams. */
const streamOf = (source: Bytes) => ReadableStream.from(source) as unknown as globalThis.ReadableStream<Uint8Array>;

const ageHeader = "age-encryption.org/v1\n";

/** Whether a file is in the age format, by its first line. */
export async function isEncrypted(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ageHeader.length));
    return buffer.subarray(0, bytesRead).toString("latin1") === ageHeader;
  } finally {
    await file.close();
  }
}

/** The identities of a file as `age-keygen` writes it: one a line, `#` begins a comment. @throws ConfigurationError when it holds none */
export async function readIdentities(path: string): Promise<string[]> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConfigurationError([`BACKUP_IDENTITY_FILE ${path} cannot be read: name the file with the age identity`], { cause });
  });
  const identities = text.split("\n").flatMap((line) => (/^AGE-SECRET-KEY-(PQ-)?1/.test(line.trim()) ? [line.trim()] : []));
  if (identities.length === 0)
    throw new ConfigurationError([`BACKUP_IDENTITY_FILE ${path} holds no age identity: a line that begins with AGE-SECRET-KEY-1`]);
  return identities;
}
