import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

/** Encrypts secrets at rest with AES-256-GCM. Every record names its key, so that old records stay readable after a key is replaced. */
export interface Vault {
  encrypt(text: string): string;
  /** @throws VaultError when the record was changed or its key is unknown. */
  decrypt(record: string): string;
  /** A keyed digest that identifies a text; without the master key it cannot be guessed, however few texts are possible. */
  fingerprint(text: string): string;
}

const keyBytes = 32;
const nonceBytes = 12;

/**
 * @param masterKey 32 bytes; encrypts new records.
 * @param olderKeys Former master keys, which only decrypt their own records.
 * @throws VaultError when a key does not have 32 bytes.
 */
export function createVault(masterKey: Uint8Array, olderKeys: readonly Uint8Array[] = []): Vault {
  const keys = new Map([...olderKeys, masterKey].map((key) => [keyId(checked(key)), Buffer.from(key)]));
  const current = keyId(masterKey);
  const fingerprintKey = createHmac("sha256", masterKey).update("tidings vault fingerprints").digest();
  return {
    encrypt: (text) => seal(masterKey, current, text),
    decrypt(text) {
      const record = parseRecord(text);
      const key = keys.get(record.keyId);
      if (key === undefined) throw new VaultError(unknownKey(record.keyId, current));
      return open(key, record);
    },
    fingerprint: (text) => createHmac("sha256", fingerprintKey).update(text).digest("base64url"),
  };
}

function seal(key: Uint8Array, id: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  // The key id is authenticated too, so a record cannot be relabelled.
  cipher.setAAD(Buffer.from(id));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return formatRecord({ keyId: id, nonce, tag: cipher.getAuthTag(), sealed });
}

function open(key: Uint8Array, record: VaultRecord): string {
  const decipher = createDecipheriv("aes-256-gcm", key, record.nonce, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(record.keyId));
  decipher.setAuthTag(record.tag);
  try {
    return Buffer.concat([decipher.update(record.sealed), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new VaultError("A stored secret was changed since it was encrypted: enter it again.", { cause });
  }
}

function checked(key: Uint8Array): Uint8Array {
  if (key.byteLength !== keyBytes)
    throw new VaultError(`A master key has ${keyBytes} bytes, this one has ${key.byteLength}: make one with \`openssl rand -base64 32\`.`);
  return key;
}

function unknownKey(record: string, current: string): string {
  return `A stored secret was encrypted with master key ${record}, and this process has ${current}: start it with the MASTER_KEY that the secret was stored under, or enter the secret again.`;
}

/** A key's name: 8 hex digits that reveal nothing of it. */
export function keyId(key: Uint8Array): string {
  return createHmac("sha256", key).update("tidings vault key id").digest("hex").slice(0, 8);
}

interface VaultRecord {
  keyId: string;
  /** 12 bytes, new for every record. */
  nonce: Buffer;
  /** 16 bytes. */
  tag: Buffer;
  sealed: Buffer;
}

const form = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]*)$/;

/** `v1.<key id>.<nonce>.<tag>.<sealed text>`, the last three base64url. */
function formatRecord(record: VaultRecord): string {
  return ["v1", record.keyId, ...[record.nonce, record.tag, record.sealed].map((bytes) => bytes.toString("base64url"))].join(".");
}

/** @throws VaultError for any text that `formatRecord` did not make. */
function parseRecord(text: string): VaultRecord {
  const [, id, nonce, tag, sealed] = form.exec(text) ?? [];
  if (id === undefined || nonce === undefined || tag === undefined || sealed === undefined) {
    throw new VaultError("A stored secret is not a record of this vault: enter it again.");
  }
  const bytes = (part: string) => Buffer.from(part, "base64url");
  return { keyId: id, nonce: bytes(nonce), tag: bytes(tag), sealed: bytes(sealed) };
}

/** The record's text; null when it cannot be read. */
export function readRecord(vault: Pick<Vault, "decrypt">, record: string): string | null {
  try {
    return vault.decrypt(record);
  } catch (error) {
    if (error instanceof VaultError) return null;
    throw error;
  }
}

/** A stored secret cannot be read. The message says what to do and contains no part of the secret. */
export class VaultError extends Error {
  override name = "VaultError";
}
