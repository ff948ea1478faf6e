import { createHmac, timingSafeEqual, randomInt } from "node:crypto";

/** The value of a signature header: `sha256=` + 64 lowercase hex digits of HMAC-SHA256 over the bytes, keyed with the secret's UTF-8 bytes as shown. */
export function signBody(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

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

const prefix = "whs_";

/** A new webhook secret, with which a customer signs what he sends: 238 random bits. Its UTF-8 bytes as they stand, prefix included, are the HMAC key. */
export const makeWebhookSecret = (): string => prefix + randomText(40);

/** What the dashboard shows of it: the prefix and the last four characters. */
export const webhookSecretHint = (secret: string): string => `${prefix}…${secret.slice(-4)}`;

export const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` letters and digits (5.95 bits each) from the system's random source. `randomInt` rejects rather than wraps, so none is likelier than another. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => lettersAndDigits.charAt(randomInt(lettersAndDigits.length))).join("");
