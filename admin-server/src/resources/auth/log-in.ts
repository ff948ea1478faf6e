import { TRPCError } from "@trpc/server";
import { findUserByEmail, isPasswordHash } from "shared/db/user";
import type { CallContext, RequestContext } from "../../context.ts";
import { isPassword } from "../../session/password.ts";
import { signIn, type SignedIn } from "../../session/sign-in.ts";
import { guarded } from "../../session/try-limit.ts";

/** The same answer after the same work, whether the address or the password is wrong. */
export async function logIn(context: CallContext, { email, password }: { email: string; password: string }): Promise<SignedIn> {
  const guess = { what: `login ${email.toLowerCase()}`, from: context.address };
  const user = await guarded(
    context.sql,
    guess,
    () => userWith(context, email, password),
    (found) => found !== null,
  );
  if (user === null) {
    context.log.info({ address: context.address }, "wrong sign-in");
    throw wrong();
  }
  const signedIn = await signIn(context, user);
  // A change of the password ends the sessions that the old one opened: this one too if it was opened meanwhile.
  if (await isPasswordHash(context.sql, user.id, user.password_hash)) return signedIn;
  await context.sessions.end(signedIn.token);
  throw wrong();
}

const wrong = (): TRPCError => new TRPCError({ code: "UNAUTHORIZED", message: "The e-mail address or the password is wrong" });

async function userWith({ sql }: RequestContext, email: string, password: string) {
  const user = await findUserByEmail(sql, email);
  const isRight = await isPassword(password, user?.password_hash);
  return isRight && user !== undefined ? user : null;
}
