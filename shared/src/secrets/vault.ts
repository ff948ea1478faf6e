import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { SiteMode } from "../core/site.ts";
import { type Said, SaidError, say } from "../core/wording.ts";
import type { Sql } from "../db/statement.ts";
import columns from "./sealed-columns.json" with { type: "json" };

/**
 * The columns that hold records of the vault, by their name in the records. Nothing can be sealed that is not listed here, and a rotation of the master key
 * goes through this list.
 */
export const sealedColumns = columns as Record<keyof typeof columns, ResealableColumn>;

/** How the rows of a sealed column are found and named. */
export interface ResealableColumn {
  table: string;
  column: string;
  /** The column of the row's id. */
  row: string;
  /** SQL of the account's id, for a row of the table called `t`. */
  account: string;
  /** The column that its records name: values move there unchanged. */
  sealedAs?: "totp.secret";
  /** The column that names the site whose row is locked before this one. */
  locks?: string;
}

/** Columns under keys of their own: the key row of the database, and the sandbox, which has SANDBOX_KEY. */
type OtherColumn =
  | "vault_key.record"
  | "sandbox.account.app_secret"
  | "sandbox.account.verify_token"
  | "sandbox.account.stopped"
  | "sandbox.person.record";

/** The place at which a value of an account is sealed; `row`: the id of its row, where that is not the account's own. */
export const placeIn = (column: keyof typeof sealedColumns, account: string, row = account): Place => ({ column, row, account });

/**
 * The place at which a site's secret is sealed. That of a test site's webhook secret is another: programs that know of no test sites cannot read it, so they
 * refuse its events and leave its messages to others, instead of sending them to the account's platform.
 */
export const secretPlace = (account: string, id: string, kind = "", mode: SiteMode = "live"): Place =>
  placeIn("site_secret.secret", kind === "webhook_secret" && mode === "test" ? `test ${account}` : account, id);

/** The place where a record is stored. It is authenticated with the record, which therefore opens nowhere else. */
export interface Place {
  column: keyof typeof sealedColumns | OtherColumn;
  /** The row's id. */
  row: string;
  /** The id of the account that the row belongs to; empty when it belongs to none. */
  account: string;
}

export type Seal = (text: string, at: Place) => string;

/** Encrypts secrets at rest with AES-256-GCM. Every record names its key, so that old records stay readable after a key is replaced. */
export type Vault = ReturnType<typeof createVault>;

export interface VaultOptions {
  /** Former master keys, and the next one while it is being introduced. */
  olderKeys?: readonly Uint8Array[] | undefined;
  /** The key of the digests, which outlives master keys; made from the master key when none is given. */
  fingerprintKey?: Uint8Array | undefined;
  /** The id of the key that the database names; the master key's when it names none. */
  readSealingKey?: ((sql: Sql) => Promise<string | undefined>) | undefined;
}

const keyBytes = 32;
const nonceBytes = 12;

/** A vault of a master key of 32 bytes. @throws VaultError when a key does not have them */
export function createVault(masterKey: Uint8Array, { olderKeys = [], fingerprintKey, readSealingKey }: VaultOptions = {}) {
  const keys = new Map([...olderKeys, masterKey].map((key) => [keyId(checked(key)), Buffer.from(key)]));
  const current = keyId(masterKey);
  const digestKey = fingerprintKey ?? firstFingerprintKey(masterKey);
  const keyOf = (id: string): Buffer => {
    const key = keys.get(id);
    if (key === undefined) throw new VaultError(unknownKey(id, current));
    return key;
  };
  const seal = (text: string, at: Place, id = current): string => sealText(keyOf(id), id, text, at);
  return {
    /**
     * Seals records under the key that the database names. Call it in the transaction that stores them: a rotation of the master key waits for it.
     * @throws VaultError when this process lacks that key.
     */
    sealer: async (sql: Sql): Promise<Seal> => {
      const id = await readSealingKey?.(sql);
      keyOf(id ?? current);
      return (text, at) => seal(text, at, id);
    },
    /** Seals under the master key, or under the key of that id. @throws VaultError when that key is unknown. */
    seal,
    /** @throws VaultError when the record was changed or belongs elsewhere, or its key is unknown. */
    open(text: string, at: Place): string {
      const record = parseRecord(text);
      return openRecord(keyOf(record.keyId), record, at);
    },
    /** A keyed digest that identifies a text; without the key it cannot be guessed, however few texts are possible. */
    fingerprint: (text: string): string => createHmac("sha256", digestKey).update(text).digest("base64url"),
  };
}

/** The key of the digests of an installation that has had one master key only. */
export const firstFingerprintKey = (masterKey: Uint8Array) => createHmac("sha256", masterKey).update("tidings vault fingerprints").digest();

function sealText(key: Uint8Array, id: string, text: string, at: Place): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(bindingOf("v2", id, at));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return ["v2", id, ...[nonce, cipher.getAuthTag(), sealed].map((bytes) => bytes.toString("base64url"))].join(".");
}

function openRecord(key: Uint8Array, record: ReturnType<typeof parseRecord>, at: Place): string {
  const decipher = createDecipheriv("aes-256-gcm", key, record.nonce, { authTagLength: 16 });
  decipher.setAAD(bindingOf(record.version, record.keyId, at));
  decipher.setAuthTag(record.tag);
  try {
    return Buffer.concat([decipher.update(record.sealed), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new VaultError(say("A stored secret was changed or moved since it was encrypted: enter it again."), { cause });
  }
}

/** The text that is authenticated with a record, so that it can neither be relabelled nor moved. Records of the first version are bound only to their key. */
const bindingOf = (version: string, id: string, { column, row, account }: Place): Buffer =>
  Buffer.from(version === "v1" ? id : JSON.stringify([version, id, column, row, account]));

function checked(key: Uint8Array): Uint8Array {
  if (key.byteLength !== keyBytes)
    throw new VaultError(
      say("A master key has {wanted} bytes, this one has {given}: make one with `openssl rand -base64 32`.", {
        wanted: keyBytes,
        given: key.byteLength,
      }),
    );
  return key;
}

const unknownKey = (record: string, current: string): Said =>
  say(
    "A stored secret needs master key {record}, and this process has {current}: start it with that one as MASTER_KEY or MASTER_KEY_OLD, or enter the secret again.",
    { record, current },
  );

/** A key's name: 8 hex digits that reveal nothing of it. */
export const keyId = (key: Uint8Array): string => createHmac("sha256", key).update("tidings vault key id").digest("hex").slice(0, 8);

/** `v2.<key id>.<nonce>.<tag>.<sealed text>`, the last three base64url: 12 bytes that are new for every record, 16 bytes, and as many as the text has. */
const form = /^(v[12])\.([0-9a-f]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]*)$/;

/** @throws VaultError for any text that is not a record. */
function parseRecord(text: string) {
  const [, version, id, nonce, tag, sealed] = form.exec(text) ?? [];
  if (version === undefined || id === undefined || nonce === undefined || tag === undefined || sealed === undefined)
    throw new VaultError(say("A stored secret is not a record of this vault: enter it again."));
  const bytes = (part: string) => Buffer.from(part, "base64url");
  return { version, keyId: id, nonce: bytes(nonce), tag: bytes(tag), sealed: bytes(sealed) };
}

/** The record's text; null when it cannot be read. */
export function readRecord(vault: Pick<Vault, "open">, record: string, at: Place): string | null {
  try {
    return vault.open(record, at);
  } catch (error) {
    if (error instanceof VaultError) return null;
    throw error;
  }
}

/** A stored secret cannot be read. The message says what to do and contains no part of the secret. */
export class VaultError extends SaidError {
  override name = "VaultError";
}
