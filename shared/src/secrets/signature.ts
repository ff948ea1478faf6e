import { createHmac, hash, randomBytes, timingSafeEqual, randomInt } from "node:crypto";
import { memoize } from "../core/text.ts";

/** The value of a signature header: `sha256=` and 64 lowercase hex digits of HMAC-SHA256, keyed with the secret's UTF-8 bytes. */
export const signBody = (secret: string, body: Uint8Array): string => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

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
export function findSigner<T extends { secret: string }>(candidates: readonly T[], body: Uint8Array, header: string | undefined) {
  const hex = header === undefined ? undefined : headerForm.exec(header)?.[1];
  if (hex === undefined) return undefined;
  const given = Buffer.from(hex, "hex");
  return candidates.find((one) => one.secret !== "" && timingSafeEqual(given, digest(one, body)));
}

/** Whether two texts are the same, in constant time: digests have the same length for texts of any length. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", expected, "buffer"));

const base64Form = /^[A-Za-z0-9+/]{43}=$/;

/** The candidate whose secret signed the bytes, with the signature in base64 as shop systems give it. */
export function findBase64Signer<T extends { secret: string }>(candidates: readonly T[], body: Uint8Array, header: string): T | undefined {
  if (!base64Form.test(header)) return undefined;
  const given = Buffer.from(header, "base64");
  return candidates.find((one) => one.secret !== "" && timingSafeEqual(given, digest(one, body)));
}

/** Whether a signature in base64 is made without any secret, as by a webhook that has none. It proves nothing. */
export const isSignedWithNothing = (body: Uint8Array, header: string) => header === createHmac("sha256", "").update(body).digest("base64");

/** The headers that Standard Webhooks sign beside the body. */
export interface SignedHeaders {
  id: string;
  timestamp: string;
  /** Signatures with their versions, between spaces: `v1,<base64> v1,<base64>`. Only those of `v1` count. */
  signature: string;
}

const standardForm = /^v1,([A-Za-z0-9+/]{43}=)$/;

/** The candidate that signed id, timestamp and bytes by Standard Webhooks: HMAC-SHA256 keyed with the secret's UTF-8 bytes, prefix included. */
export function findStandardSigner<T extends { secret: string }>(
  candidates: readonly T[],
  body: Uint8Array,
  { id, timestamp, signature }: SignedHeaders,
): T | undefined {
  const given = signature.split(" ").flatMap((one) => standardForm.exec(one)?.[1] ?? []);
  if (given.length === 0) return undefined;
  const digests = given.map((base64) => Buffer.from(base64, "base64"));
  return candidates.find((candidate) => {
    if (candidate.secret === "") return false;
    const expected = digest(candidate, Buffer.from(`${id}.${timestamp}.`), body);
    return digests.some((one) => timingSafeEqual(one, expected));
  });
}

/** A signature of Standard Webhooks with a secret of theirs: `whsec_` and the key's bytes in base64. */
export function signStandard(secret: string, { id, timestamp }: Omit<SignedHeaders, "signature">, body: Uint8Array): string {
  const key = Buffer.from(secret.replace(outboundPrefix, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

/**
 * The headers of a delivery to an endpoint. An old secret that still counts signs too, in the header that takes several signatures. @param secrets The
 * current one first.
 */
export function webhookHeaders(id: string, now: Date, secrets: readonly string[], body: string): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const bytes = Buffer.from(body);
  return {
    "content-type": "application/json",
    "user-agent": "Tidings",
    "x-service-signature": signBody(secrets[0] ?? "", bytes),
    "x-service-timestamp": timestamp,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signStandard(secret, { id, timestamp }, bytes)).join(" "),
  };
}

const outboundPrefix = "whsec_";

/** A new secret that signs deliveries to endpoints: 256 random bits. */
export const makeOutboundSecret = (): string => outboundPrefix + randomBytes(32).toString("base64");

/** The part of the secret that the dashboard shows. */
export const outboundSecretHint = (secret: string): string => `${outboundPrefix}…${secret.slice(-4)}`;

/** The secret in the form for libraries of Standard Webhooks. */
export const standardSecret = (secret: string): string => `whsec_${Buffer.from(secret).toString("base64")}`;

/** HMAC-SHA256 (RFC 2104) by two calls of `hash`, which take half the time of a `createHmac`. */
function digest(candidate: { secret: string }, ...parts: Uint8Array[]): Buffer {
  const { inner, outer } = keyBlocks(candidate);
  // The digest is made as hex, since `hash` makes a text faster than a buffer.
  const hashed = Buffer.from(hash("sha256", Buffer.concat([inner, ...parts])), "hex");
  return Buffer.from(hash("sha256", Buffer.concat([outer, hashed])), "hex");
}

const blockBytes = 64;

const keyBlocks = memoize(({ secret }: { secret: string }) => {
  const bytes = Buffer.from(secret);
  const key = Buffer.concat([bytes.length > blockBytes ? hash("sha256", bytes, "buffer") : bytes], blockBytes);
  return { inner: key.map((byte) => byte ^ 0x36), outer: key.map((byte) => byte ^ 0x5c) };
});

const prefix = "whs_";

/** A new webhook secret of 238 random bits, with which a customer signs events. The HMAC key is its UTF-8 text, prefix included. */
export const makeWebhookSecret = (): string => prefix + randomText(40);

/** The part that the dashboard shows: the prefix and the last four characters. */
export const webhookSecretHint = (secret: string): string => `${prefix}…${secret.slice(-4)}`;

export const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` random letters and digits of 5.95 bits each. `randomInt` is unbiased. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => lettersAndDigits.charAt(randomInt(lettersAndDigits.length))).join("");
