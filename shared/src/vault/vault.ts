import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { keyId } from "./key-id.ts";
import { formatRecord, parseRecord, type VaultRecord } from "./record.ts";
import { VaultError } from "./vault-error.ts";

/** Encrypts secrets at rest with AES-256-GCM. Every record names its key, so that a key can be replaced while older records still open. */
export interface Vault {
  encrypt(text: string): string;
  /** @throws VaultError for a record of an unknown key, or one that was changed. */
  decrypt(record: string): string;
  /** A digest by which a text can be known again, and which nobody without the master key can guess it from, however few such texts there are. */
  fingerprint(text: string): string;
}

const keyBytes = 32;
const nonceBytes = 12;

/**
 * @param masterKey 32 bytes; everything new is encrypted with it.
 * @param olderKeys Former master keys: they open what they encrypted, nothing more.
 * @throws VaultError when a key is not 32 bytes long.
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
