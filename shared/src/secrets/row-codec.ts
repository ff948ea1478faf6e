import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { remember } from "../core/text.ts";
import { say } from "../core/wording.ts";
import { VaultError } from "./vault.ts";

/** Columns with customers' data. Each value is sealed for its row. */
type SealedRowColumn =
  | "event_payload.payload"
  | "event_payload.trace"
  | "idempotency.body"
  | "notification.components"
  | "notification.error_reason"
  | "notification.error_detail"
  | `customer_order.${"external_id" | "status" | "total" | "currency"}`
  | "event_kind.fields"
  | "resend_job.filter"
  | "operation.input"
  | `requested_event.${"payload" | "phone"}`
  | "webhook_delivery.payload"
  | "webhook_delivery.answer";

/** Columns whose values are compared: equal values of an account have equal records, which hold a keyed digest. */
type ComparedRowColumn = "notification.to_phone" | "notification.wa_message_id" | "customer_order.number";

export type RowColumn = SealedRowColumn | ComparedRowColumn;

/**
 * Writes and reads an account's rows. Values are plain, or, if the account encrypts, records under its data key. Any of its rows may be of either kind,
 * whichever it writes at present.
 */
export interface RowCodec {
  /** Whether new values become records. */
  readonly seals: boolean;
  /** Seals a text. `row` is the row's id. */
  seal<T extends string | null>(text: T, column: SealedRowColumn, row: string): T;
  /** Seals a compared text: the same text always becomes the same record. */
  conceal<T extends string | null>(text: T, column: ComparedRowColumn): T;
  /** The text of a stored value, plain or sealed. @throws VaultError when a record was changed or moved, or its key is gone. */
  open<T extends string | null>(stored: T, column: RowColumn, row: string): T;
  /** All forms in which a text may be stored. */
  spellings(text: string, column: ComparedRowColumn): string[];
}

/** The beginning of records. A plain value that reads like a record is marked. */
export const sealedPrefix = "s1.";
const concealedPrefix = "c1.";

const record = /^[sc]1\.[A-Za-z0-9_-]{22,}$/;
export const isRecord = (stored: string | null): stored is string => stored !== null && record.test(stored);

/** The mark of plain values that read like a record, marked or not. Customers and the platform choose values, so each gets one more mark when it is stored in the clear. */
const plainMark = "p1.";
const readsAsRecord = /^(?:p1\.)*[sc]1\.[A-Za-z0-9_-]{22,}$/;
const markPlain = <T extends string | null>(text: T) => (text !== null && readsAsRecord.test(text) ? (`${plainMark}${text}` as T) : text);
const readPlain = <T extends string | null>(stored: T): T =>
  stored !== null && stored.startsWith(plainMark) && readsAsRecord.test(stored) ? (stored.slice(plainMark.length) as T) : stored;

/** The codec of an account that has never encrypted anything. */
export const plainRows: RowCodec = {
  seals: false,
  seal: markPlain,
  conceal: markPlain,
  open: (stored) => (isRecord(stored) ? unreadable() : readPlain(stored)),
  spellings: (text) => [markPlain(text)],
};

/** @param key the account's data key, 32 bytes. `seals`: false if it no longer encrypts. */
export function createRowCodec(key: Uint8Array, account: string, seals: boolean): RowCodec {
  const sealing = createSealing(key, account);
  const concealing = createConcealing(key, account);
  const open = (text: string, column: RowColumn, row: string): string =>
    text.startsWith(sealedPrefix) ? sealing.open(text, column, row) : concealing.open(text, column);
  return {
    seals,
    seal: <T extends string | null>(text: T, column: SealedRowColumn, row: string) =>
      (seals && text !== null ? sealing.seal(text, column, row) : markPlain(text)) as T,
    conceal: <T extends string | null>(text: T, column: ComparedRowColumn) =>
      (seals && text !== null ? concealing.seal(text, column) : markPlain(text)) as T,
    open: <T extends string | null>(stored: T, column: RowColumn, row: string) =>
      (isRecord(stored) ? open(stored, column, row) : readPlain(stored)) as T,
    spellings: (text, column) => [concealing.seal(text, column), markPlain(text)],
  };
}

/** The text in place of a value that cannot be read. */
export const unreadableText = "cannot be read";

/** The stored value; `instead` if its record cannot be read, so that other rows stay readable. */
export function readValue<T extends string | null, I extends string | null>(
  rows: Pick<RowCodec, "open">,
  stored: T,
  column: RowColumn,
  row: string,
  instead: I,
): T | I {
  try {
    return rows.open(stored, column, row);
  } catch (error) {
    if (error instanceof VaultError) return instead;
    throw error;
  }
}

const nonceBytes = 12;
const tagBytes = 16;
/** The most keys that are kept, for rows that are written at about the same time. */
const keptKeys = 32;

/**
 * AES-256-GCM, bound to column, row and account. Each key is derived for rows whose ids begin alike, which are those of a minute: under one key there
 * would be too many random nonces in time.
 */
function createSealing(key: Uint8Array, account: string) {
  const keyOfGroup = remember(keptKeys, (group: string) => derive(key, `rows ${group}`));
  const keyOf = (row: string): Buffer => keyOfGroup(row.slice(0, 8));
  const bindingOf = (column: string, row: string): Buffer => Buffer.from(`${column}\n${row}\n${account}`);
  return {
    seal(text: string, column: string, row: string): string {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", keyOf(row), nonce);
      cipher.setAAD(bindingOf(column, row));
      const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return sealedPrefix + sealed.toString("base64url");
    },
    open(text: string, column: string, row: string): string {
      const bytes = Buffer.from(text.slice(sealedPrefix.length), "base64url");
      if (bytes.length < nonceBytes + tagBytes) return unreadable();
      const decipher = createDecipheriv("aes-256-gcm", keyOf(row), bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(bindingOf(column, row));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
      } catch (cause) {
        return unreadable(cause);
      }
    },
  };
}

const digestBytes = 16;
/** The shortest length of a record's text. A phone has at most 15 digits and a plus, so all phones have records of one length. */
const shortest = 16;

/**
 * Deterministic authenticated encryption (the construction of RFC 5297 with HMAC-SHA256 and AES-256-CTR): a keyed digest of the text, which also encrypts
 * it. Bound to column and account; a row's id would make equal texts differ.
 */
function createConcealing(key: Uint8Array, account: string) {
  const digestKey = derive(key, "digests");
  const textKey = derive(key, "compared texts");
  const digestOf = (text: string, column: string): Buffer =>
    createHmac("sha256", digestKey).update(`${column}\n${account}\n${text}`).digest().subarray(0, digestBytes);
  return {
    seal(text: string, column: string): string {
      const digest = digestOf(text, column);
      const cipher = createCipheriv("aes-256-ctr", textKey, digest);
      const sealed = Buffer.concat([digest, cipher.update(text.padEnd(shortest, "\0"), "utf8"), cipher.final()]);
      return concealedPrefix + sealed.toString("base64url");
    },
    open(record: string, column: string): string {
      const bytes = Buffer.from(record.slice(concealedPrefix.length), "base64url");
      if (bytes.length < digestBytes + shortest) return unreadable();
      const digest = bytes.subarray(0, digestBytes);
      const decipher = createDecipheriv("aes-256-ctr", textKey, digest);
      const [text = ""] = Buffer.concat([decipher.update(bytes.subarray(digestBytes)), decipher.final()])
        .toString("utf8")
        .split("\0", 1);
      return timingSafeEqual(digestOf(text, column), digest) ? text : unreadable();
    },
  };
}

const derive = (key: Uint8Array, purpose: string): Buffer => createHmac("sha256", key).update(`tidings data key ${purpose}`).digest();

function unreadable(cause?: unknown): never {
  throw new VaultError(say("A stored value was changed or moved since it was encrypted, or its account's data key was replaced."), {
    cause,
  });
}
