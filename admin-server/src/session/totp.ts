import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { digest } from "./sessions.ts";

const stepMs = 30_000;

/** A new secret in base32, as authenticator apps take it: 160 bits. */
export const makeTotpSecret = (): string => toBase32(randomBytes(20));

/** RFC 6238 with SHA-1: the six digits of a step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7f_ff_ff_ff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** The step of the code, which is at most one away from now and later than `last`; null when there is none. */
export function findStep(secret: string, code: string, { now, last }: { now: Date; last: number }): number | null {
  const current = totpStep(now);
  const steps = [current - 1, current, current + 1].filter((step) => step > last);
  return steps.find((step) => timingSafeEqual(digest(totpCode(secret, step)), digest(code))) ?? null;
}

export const totpStep = (time: Date): number => Math.floor(time.getTime() / stepMs);

/** The URL that authenticator apps read from a QR code. */
export function otpauthUrl(secret: string, email: string): string {
  const parameters = new URLSearchParams({ secret, issuer, algorithm: "SHA1", digits: "6", period: "30" });
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${email}`)}?${parameters.toString()}`;
}

const issuer = "Tidings";

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 (RFC 4648) of bytes whose number is a multiple of five. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => base32[Number.parseInt(five, 2)]).join("");
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => base32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}
