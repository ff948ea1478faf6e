import { createHmac, timingSafeEqual } from "node:crypto";

const headerForm = /^sha256=([0-9a-f]{64})$/;

/**
 * Whether the header signs exactly these bytes with one of the secrets: `sha256=` + 64 lowercase hex digits, nothing else.
 * The platform's `X-Hub-Signature-256` has the same form. An absent header, no secret and an empty secret never verify.
 */
export function verifyBody(secrets: readonly string[], body: Uint8Array, header: string | undefined): boolean {
  const candidates = secrets.map((secret) => ({ secret }));
  return findSigner(candidates, body, header) !== undefined;
}

/** The one of several secrets by which the header signs the bytes. */
export function findSigner<T extends { secret: string }>(
  candidates: readonly T[],
  body: Uint8Array,
  header: string | undefined,
): T | undefined {
  const hex = header === undefined ? undefined : headerForm.exec(header)?.[1];
  if (hex === undefined) return undefined;
  const given = Buffer.from(hex, "hex");
  return candidates.find(({ secret }) => secret !== "" && timingSafeEqual(given, digest(secret, body)));
}

function digest(secret: string, body: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(body).digest();
}
