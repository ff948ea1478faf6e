import { VaultError } from "./vault-error.ts";

export interface VaultRecord {
  keyId: string;
  /** 12 bytes, new for every record. */
  nonce: Buffer;
  /** 16 bytes. */
  tag: Buffer;
  sealed: Buffer;
}

const form = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]*)$/;

/** `v1.<key id>.<nonce>.<tag>.<sealed text>`, the last three base64url. */
export function formatRecord(record: VaultRecord): string {
  return ["v1", record.keyId, ...[record.nonce, record.tag, record.sealed].map((bytes) => bytes.toString("base64url"))].join(".");
}

/** @throws VaultError for a text that `formatRecord` cannot have made. */
export function parseRecord(text: string): VaultRecord {
  const [, id, nonce, tag, sealed] = form.exec(text) ?? [];
  if (id === undefined || nonce === undefined || tag === undefined || sealed === undefined) {
    throw new VaultError("A stored secret is not a record of this vault: enter it again.");
  }
  const bytes = (part: string) => Buffer.from(part, "base64url");
  return { keyId: id, nonce: bytes(nonce), tag: bytes(tag), sealed: bytes(sealed) };
}
