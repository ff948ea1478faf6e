import type { TRPCError } from "@trpc/server";
import {
  confirmInput,
  confirmTotpInput,
  removeTotpInput,
  secondFactorInput,
  addPasskeyInput,
  passkeySignInInput,
} from "shared/core/input/team";
import { noInput, idInput, listInput } from "shared/core/input/values";
import { say } from "shared/core/wording";
import { takeChallenge, tryChallenge } from "shared/db/challenge";
import { listMemberships } from "shared/db/membership";
import { deletePasskey, listPasskeys, type PasskeyRow } from "shared/db/passkey";
import { confirmTotp, deleteTotp, findPendingTotp, savePendingTotp } from "shared/db/second-factor";
import { noteProof } from "shared/db/session";
import { inTransaction } from "shared/db/statement";
import { lockUser } from "shared/db/user";
import { placeIn } from "shared/secrets/vault";
import type { z } from "zod";
import type { CallContext, RequestContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { guarded } from "../session/guess-limit.ts";
import {
  register,
  registrationOptions,
  signatureOptions,
  signInByPasskey,
  isSecondFactor,
  makeRecoveryCodes,
  requirePassword,
  requireSignature,
  wrongCode,
} from "../session/second-factor.ts";
import { digest, requireStillSignedIn, sessionId } from "../session/sessions.ts";
import { chosenMembership, needsOpenIdProof, recordFailure, signIn, type SignedIn } from "../session/sign-in.ts";
import { findStep, makeTotpSecret, otpauthUrl } from "../session/totp.ts";
import { conflict, notFound, Refusal } from "../trpc/errors.ts";
import { present, readPage } from "../trpc/paging.ts";
import { publicProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

/** Part of `auth`: second factors and passkeys. */
export const secondFactorRouter = router({
  /** The second half of a sign-in, after `login` or `resetPassword` has answered a challenge. */
  secondFactor: publicProcedure.input(secondFactorInput).mutation(({ ctx, input }) => passSecondFactor(ctx, input)),

  /** Proves that the session's own person is there: for 10 minutes the session may do things that take a proof. */
  confirm: viewerProcedure.input(confirmInput).mutation(async ({ ctx, input }) => {
    await proveCaller(ctx, ctx.caller, input);
    const { via } = ctx.caller;
    await inTransaction(ctx.sql, async (sql) => {
      if (via.kind === "session") await noteProof(sql, sessionId(via.token));
      await ctx.record(sql);
    });
    return {};
  }),

  /** Begins to set up an authenticator app. One that is in use goes on until `confirmTotp`. */
  enrollTotp: viewerProcedure.input(noInput).mutation(async ({ ctx }) => {
    const secret = makeTotpSecret();
    const { userId } = ctx.caller;
    await inTransaction(ctx.sql, async (sql) => {
      const seal = await ctx.vault.sealer(sql);
      await savePendingTotp(sql, userId, seal(secret, placeIn("totp.secret", "", userId)), enrolmentMinutes);
      await ctx.record(sql);
    });
    return { secret, otpauthUrl: otpauthUrl(secret, ctx.caller.email) };
  }),

  /** Takes the first code of the app that `enrollTotp` began to set up. The recovery codes are shown once, and end earlier ones. */
  confirmTotp: viewerProcedure
    .input(confirmTotpInput)
    .mutation(async ({ ctx, input }) => ({ recoveryCodes: await finishEnrolment(ctx, ctx.caller, input.code) })),

  removeTotp: viewerProcedure.input(removeTotpInput).mutation(async ({ ctx, input }) => {
    await requirePassword(ctx, ctx.caller, input.password, "password");
    await inTransaction(ctx.sql, async (sql) => {
      if (!(await deleteTotp(sql, ctx.caller.userId))) throw conflict("No authenticator app is set up");
      await ctx.record(sql);
    });
    return {};
  }),

  /** The caller's passkeys, newest first. */
  passkeys: viewerProcedure
    .input(listInput)
    .query(({ ctx, input }) => readPage("passkeys", input, (page) => listPasskeys(ctx.sql, ctx.caller.userId, page), presentPasskey)),

  /** `options` are for the browser's `navigator.credentials.create`. */
  startPasskey: viewerProcedure.input(noInput).mutation(async ({ ctx }) => ({ options: await registrationOptions(ctx, ctx.caller) })),

  /** `response` is the browser's answer to the options of `startPasskey`. */
  addPasskey: viewerProcedure.input(addPasskeyInput).mutation(async ({ ctx, input: { name, response } }) => ({
    passkey: presentPasskey(await register(ctx, ctx.caller, name, response)),
  })),

  removePasskey: viewerProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    await inTransaction(ctx.sql, async (sql) => {
      if (!(await deletePasskey(sql, ctx.caller.userId, id))) throw notFound("passkey");
      await ctx.record(sql, { subject: id });
    });
    return { id };
  }),

  /** `options` are for the browser's `navigator.credentials.get`. */
  startPasskeySignIn: publicProcedure.input(noInput).mutation(async ({ ctx }) => {
    ctx.recordNothing();
    return signatureOptions(ctx, { for: "sign in" });
  }),

  passkeySignIn: publicProcedure.input(passkeySignInInput).mutation(({ ctx, input }) => signInByPasskey(ctx, input)),

  /** The same as `startPasskeySignIn`, for `confirm`. */
  startPasskeyConfirm: viewerProcedure.input(noInput).mutation(async ({ ctx }) => {
    ctx.recordNothing();
    return signatureOptions(ctx, { for: "confirm", userId: ctx.caller.userId });
  }),
});

const triesOfChallenge = 5;

async function passSecondFactor(context: CallContext, { challenge, code }: z.output<typeof secondFactorInput>): Promise<SignedIn> {
  const hash = digest(challenge);
  const userId = await tryChallenge(context.sql, hash, "second_factor", triesOfChallenge);
  const user = userId === undefined ? undefined : await chosenMembership(context.sql, userId, "second_factor");
  if (user === undefined) throw challengeEnded();
  if (!(await isSecondFactor(context, user.id, code))) {
    context.log.info({ address: context.address }, "wrong second factor");
    await recordFailure(context, user);
    throw wrongCode();
  }
  const signedIn = await signIn(context, user, "second_factor");
  // The challenge is used up, or a change of the password has ended it in between: then the session must end too.
  if (await takeChallenge(context.sql, hash, "second_factor", user.id)) return signedIn;
  await context.sessions.end(signedIn.token);
  throw challengeEnded();
}

const challengeEnded = (): TRPCError =>
  new Refusal("UNAUTHORIZED", say("This sign-in has ended: enter your e-mail address and password again"));

async function proveCaller(context: RequestContext, caller: Caller, input: z.output<typeof confirmInput>): Promise<void> {
  // The factors may belong to somebody else than the person at the issuer. A session keeps its proof when it moves to another account.
  const isByIssuer = caller.via.kind === "session" && caller.via.way === "sso";
  if (isByIssuer && (await listMemberships(context.sql, caller.userId)).some((each) => each.require_sso)) throw needsOpenIdProof(context);
  if ("password" in input) return requirePassword(context, caller, input.password, "password");
  if ("response" in input) await requireSignature(context, { for: "confirm", userId: caller.userId }, input);
  else if (!(await isSecondFactor(context, caller.userId, input.code))) throw wrongCode();
}

/** An enrolment waits this long for its first code. */
const enrolmentMinutes = 60;

async function finishEnrolment(context: CallContext, caller: Caller, code: string): Promise<string[]> {
  const { userId } = caller;
  const { sql, vault, clock } = context;
  const pending = await findPendingTotp(sql, userId);
  if (pending === undefined) throw noEnrolment();
  const guess = { what: `enrolment of ${userId}`, from: context.address, anywhere: true };
  const find = async () =>
    findStep(vault.open(pending, placeIn("totp.secret", "", userId)), code.replaceAll(/\s/g, ""), { now: clock(), last: 0 });
  const step = await guarded(sql, guess, find, (found) => found !== null);
  if (step === null) throw wrongFirstCode();
  const { codes, hashes } = makeRecoveryCodes();
  await inTransaction(sql, async (transaction) => {
    await lockUser(transaction, userId);
    await requireStillSignedIn(transaction, caller);
    if (!(await confirmTotp(transaction, userId, pending, step, hashes))) throw noEnrolment();
    await context.record(transaction, { changes: [{ member: "authenticatorApp", secret: true }] });
  });
  return codes;
}

const noEnrolment = (): TRPCError => conflict("No authenticator app is being set up: begin again with auth.enrollTotp");

const wrongFirstCode = (): TRPCError =>
  new Refusal(
    "UNAUTHORIZED",
    say("The code is wrong: check that the app has this key and that both devices' clocks are correct, then enter the app's current code"),
  );

const presentPasskey = (row: PasskeyRow) => present(row, "id", "name", "created_at", "last_used_at");
