import { createHmac } from "node:crypto";

/**
 * JSON as the platform writes it: non-ASCII as `\u00e9` in lower-case hex, slashes as `\/`. What it signs are these bytes, so that a receiver that
 * parses and writes the body again gets another signature (platform facts, 5.2).
 */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("/", "\\/")
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The value of `X-Hub-Signature-256`. */
export function signature(appSecret: string, body: string): string {
  return `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
}
