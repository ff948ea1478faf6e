import { timingSafeEqual } from "node:crypto";
import { TRPCError } from "@trpc/server";
import type { signUpInput } from "shared/core/input/team";
import { anyUserExists } from "shared/db/user";
import type { z } from "zod";
import { nameFromEmail } from "../../accounts/first-owner.ts";
import { openAccount } from "../../accounts/open-account.ts";
import type { CallContext, RequestContext } from "../../context.ts";
import { connectNewAccount } from "../../sandbox/connect.ts";
import { digest } from "../../session/digest.ts";
import { hashPassword } from "../../session/password.ts";
import { signIn, type SignedIn } from "../../session/sign-in.ts";
import { guarded } from "../../session/try-limit.ts";
import { conflict } from "../../trpc/refusals.ts";

/** Opens an account and signs its owner in. */
export async function signUp(context: CallContext, input: z.output<typeof signUpInput>): Promise<SignedIn> {
  const { allowSignUp } = context.config;
  if (!allowSignUp) await checkSetupCode(context, input.setupCode);
  const { accountName, email, password, name = nameFromEmail(email) } = input;
  const wanted = { accountName, email, name, passwordHash: await hashPassword(password) };
  const guess = { what: "sign-up", from: context.address };
  // Only those of a taken address count: asking for one address after the other would tell who has an account.
  const user = await guarded(
    context.sql,
    guess,
    () => openAccount(context.sql, wanted, !allowSignUp),
    (opened) => opened !== "taken",
  );
  if (user === "closed") throw closed();
  if (user === "taken") throw conflict("This sign-up cannot be completed: sign in if you have an account, or use another address");
  await connectNewAccount(context, user.account_id);
  return signIn(context, user);
}

/** @throws TRPCError FORBIDDEN once there is a user, unless everybody may. */
export async function checkSignUpIsOpen({ sql, config }: RequestContext): Promise<void> {
  if (!config.allowSignUp && (await anyUserExists(sql))) throw closed();
}

const closed = (): TRPCError =>
  new TRPCError({ code: "FORBIDDEN", message: "Sign-up is closed here: ask an owner for an invitation, or sign in" });

/** Whoever finds a fresh server on the network must not become its owner. */
async function checkSetupCode(context: RequestContext, given: string | undefined): Promise<void> {
  if (context.isLocal) return;
  const { setupCode } = context.config;
  if (setupCode === null)
    throw needsCode("start the server with SETUP_CODE set and enter that code, or sign up on the server's own machine");
  if (given === undefined) throw needsCode("enter the setup code that was printed when the server started");
  const guess = { what: "setup code", from: context.address };
  const isRight = await guarded(context.sql, guess, async () => timingSafeEqual(digest(given), digest(setupCode)), Boolean);
  if (!isRight) throw needsCode("the setup code is wrong; it was printed when the server started");
}

const needsCode = (what: string): TRPCError =>
  new TRPCError({ code: "FORBIDDEN", message: `The first sign-up from another machine needs the setup code: ${what}` });
