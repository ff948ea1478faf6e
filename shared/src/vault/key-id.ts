import { createHmac } from "node:crypto";

/** A name for a key that tells nothing about it: 8 hex digits. */
export function keyId(key: Uint8Array): string {
  return createHmac("sha256", key).update("tidings vault key id").digest("hex").slice(0, 8);
}
