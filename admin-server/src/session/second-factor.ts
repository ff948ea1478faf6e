import { randomBytes } from "node:crypto";
import { TRPCError } from "@trpc/server";
import { findTotp, takeRecoveryCode, takeTotpStep } from "shared/db/second-factor";
import { findPasswordHash } from "shared/db/user";
import { totpPlace } from "shared/secrets/sealed-columns";
import type { RequestContext } from "../context.ts";
import { invalidInput } from "../trpc/errors.ts";
import type { Caller } from "./caller.ts";
import { guarded } from "./guess-limit.ts";
import { isPassword } from "./passwords.ts";
import { digest } from "./sessions.ts";
import { findStep, toBase32 } from "./totp.ts";

/** @throws TRPCError BAD_REQUEST at the input's member `name`, TOO_MANY_REQUESTS */
export async function requirePassword(context: RequestContext, { userId }: Caller, password: string, name: string): Promise<void> {
  const guess = { what: `password of ${userId}`, from: context.address, slows: true };
  const check = async () => isPassword(password, await findPasswordHash(context.sql, userId));
  if (!(await guarded(context.sql, guess, check, Boolean))) throw invalidInput([{ path: [name], message: "Is not the current password" }]);
}

/**
 * Takes a code of the user's authenticator app, or a recovery code: each works once, also when it comes twice at the same moment.
 * False when it is wrong. @throws TRPCError TOO_MANY_REQUESTS after ten wrong ones of the user
 */
export async function isSecondFactor(context: RequestContext, userId: string, code: string): Promise<boolean> {
  const guess = { what: `second factor of ${userId}`, from: context.address, anywhere: true };
  return guarded(context.sql, guess, () => takeCode(context, userId, code.replaceAll(/[\s-]/g, "")), Boolean);
}

async function takeCode({ sql, vault, clock }: RequestContext, userId: string, code: string): Promise<boolean> {
  if (!/^\d{6}$/.test(code)) return takeRecoveryCode(sql, userId, digest(code.toLowerCase()));
  const totp = await findTotp(sql, userId);
  if (totp === undefined) return false;
  const step = findStep(vault.open(totp.secret, totpPlace(userId)), code, { now: clock(), last: totp.last_step });
  return step !== null && takeTotpStep(sql, userId, totp.secret, step);
}

export const wrongCode = (): TRPCError =>
  new TRPCError({
    code: "UNAUTHORIZED",
    message: "The code is wrong, or it was used already: wait for the app's next code and enter that, or enter a recovery code",
  });

const recoveryCodeCount = 10;

/** New recovery codes of 80 random bits each, in groups, and the digests to store. */
export function makeRecoveryCodes(): { codes: string[]; hashes: Buffer[] } {
  const plain = Array.from({ length: recoveryCodeCount }, () => toBase32(randomBytes(10)).toLowerCase());
  return { codes: plain.map((code) => code.replaceAll(/.{4}(?=.)/g, "$&-")), hashes: plain.map(digest) };
}
