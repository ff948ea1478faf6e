import { Secret, TOTP } from "otpauth";

const stepMs = 30_000;

/** A new secret in base32, as authenticator apps take it: 160 bits. */
export const makeTotpSecret = (): string => randomBase32(20);

export const randomBase32 = (size: number): string => new Secret({ size }).base32;

/** RFC 6238 with SHA-1: the six digits of a step. */
export const totpCode = (secret: string, step: number): string => new TOTP({ secret }).generate({ timestamp: step * stepMs });

/** The step of the code, which is at most one away from now and later than `last`; null when there is none. */
export function findStep(secret: string, code: string, { now, last }: { now: Date; last: number }): number | null {
  // The library throws for six characters that are not six bytes.
  if (!/^\d{6}$/.test(code)) return null;
  const away = new TOTP({ secret }).validate({ token: code, timestamp: now.getTime(), window: 1 });
  return away === null || totpStep(now) + away <= last ? null : totpStep(now) + away;
}

export const totpStep = (time: Date): number => Math.floor(time.getTime() / stepMs);

/** The URL that authenticator apps read from a QR code. */
export function otpauthUrl(secret: string, email: string): string {
  const parameters = new URLSearchParams({ secret, issuer, algorithm: "SHA1", digits: "6", period: "30" });
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${email}`)}?${parameters.toString()}`;
}

const issuer = "Tidings";
