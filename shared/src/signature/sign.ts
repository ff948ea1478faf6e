import { createHmac } from "node:crypto";

/** The value of a signature header: `sha256=` + 64 lowercase hex digits of HMAC-SHA256 over the bytes, keyed with the secret's UTF-8 bytes as shown. */
export function signBody(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}
