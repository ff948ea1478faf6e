import { createHmac, timingSafeEqual, randomInt } from "node:crypto";

/** The value of a signature header: `sha256=` and 64 lowercase hex digits of HMAC-SHA256, keyed with the secret's UTF-8 bytes. */
export function signBody(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

const headerForm = /^sha256=([0-9a-f]{64})$/;

/** Whether the header can be a signature at all, known before the body is. */
export const isSignature = (header: string): boolean => headerForm.test(header);

/**
 * Whether the header is `signBody` of these bytes with one of the secrets. The platform's `X-Hub-Signature-256` has the same form.
 * A missing header and an empty secret never verify.
 */
export function verifyBody(secrets: readonly string[], body: Uint8Array, header: string | undefined): boolean {
  const candidates = secrets.map((secret) => ({ secret }));
  return findSigner(candidates, body, header) !== undefined;
}

/** The candidate whose secret signed the bytes. */
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

/** A new webhook secret of 238 random bits, with which a customer signs events. The HMAC key is its UTF-8 text, prefix included. */
export const makeWebhookSecret = (): string => prefix + randomText(40);

/** The part that the dashboard shows: the prefix and the last four characters. */
export const webhookSecretHint = (secret: string): string => `${prefix}…${secret.slice(-4)}`;

export const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` random letters and digits of 5.95 bits each. `randomInt` is unbiased. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => lettersAndDigits.charAt(randomInt(lettersAndDigits.length))).join("");
