import type { TRPCError } from "@trpc/server";
import { say } from "shared/core/wording";
import { failedSignIn } from "shared/db/audit";
import { insertChallenge, takeChallenge } from "shared/db/challenge";
import { listMemberships, type MemberRow } from "shared/db/membership";
import { findSecondFactors, mustHaveSecondFactor } from "shared/db/second-factor";
import type { SessionWay } from "shared/db/session";
import type { Sql } from "shared/db/statement";
import { findEmailState, isPasswordHash, type UserRow } from "shared/db/user";
import { isSameSecret, randomText } from "shared/secrets/signature";
import type { CallContext, RequestContext } from "../context.ts";
import { type Actor, recordMutation } from "../trpc/audit-trail.ts";
import { accountMoves, Refusal, StepNeeded } from "../trpc/errors.ts";
import { guarded } from "./guess-limit.ts";
import { isPassword } from "./passwords.ts";
import { digest } from "./sessions.ts";

export interface SignedIn {
  /** The token, which also works as a Bearer token. */
  token: string;
  user: PresentedUser;
}

/** The answer to a right password when a code is still needed: `auth.secondFactor` takes it with the challenge. */
export interface SecondFactorNeeded {
  secondFactor: true;
  challenge: string;
}

type PresentedUser = Pick<MemberRow, "id" | "email" | "name" | "role">;

/**
 * The person in the account that they chose last, if possible among those that this way of signing in opens.
 * @throws TRPCError UNAUTHORIZED when they have none, SERVICE_UNAVAILABLE while all of them move
 */
export async function chosenMembership(sql: Sql, userId: string, way: SessionWay): Promise<MemberRow> {
  const memberships = await listMemberships(sql, userId);
  const open = memberships.filter((each) => !each.is_moving);
  const latest = open.find((each) => way === "sso" || !each.require_sso) ?? open[0];
  if (latest === undefined) throw memberships.length > 0 ? accountMoves() : wrongLogin();
  return latest;
}

/**
 * Whether the password is that of the address; takes the same work if nobody has the address. A wrong one counts, and stands in the audit of the person's
 * accounts. @throws TRPCError TOO_MANY_REQUESTS
 */
export async function isPasswordOf(
  context: RequestContext,
  email: string,
  password: string,
  user: (UserRow & { password_hash: string }) | undefined,
): Promise<boolean> {
  const device = user === undefined ? null : knownDevice(context, user.id);
  // The database folds more spellings into one address than toLowerCase does, so its spelling counts.
  const guess = { what: `login ${(user?.email ?? email).toLowerCase()}`, from: context.address, device, slows: true };
  const isRight = await guarded(context.sql, guess, () => isPassword(password, user?.password_hash), Boolean);
  if (isRight && user !== undefined) return true;
  context.log.info({ address: context.address }, "wrong sign-in");
  // The answer does not wait for the entry: its time would tell whether there is such a user.
  if (user !== undefined) void recordFailure(context, user).catch((err: unknown) => context.log.error({ err }, "audit entry not written"));
  return false;
}

const challengeMs = 600_000;

/**
 * Signs in a person who has given the password with the hash `passwordHash`. With an authenticator app a challenge comes first.
 * @throws TRPCError UNAUTHORIZED when the password was changed meanwhile, FORBIDDEN when a passkey or the OpenID issuer is the only way in
 */
export async function signInByPassword(context: CallContext, user: MemberRow, passwordHash: string) {
  const { sql } = context;
  if (user.require_sso) throw needsOpenId(context);
  const factors = await findSecondFactors(sql, user.id);
  if (factors.totp) return challengeOf(context, user, passwordHash);
  // The password alone would be one factor, also for an account to which they switch later.
  if (factors.passkeys > 0 && (await mustHaveSecondFactor(sql, user.id))) throw needsPasskey();
  return signInUnlessChanged(context, user, passwordHash);
}

/** A password change ends all older sessions; this one ends too if the change comes in between. @throws TRPCError UNAUTHORIZED */
export async function signInUnlessChanged(context: CallContext, user: MemberRow, passwordHash: string): Promise<SignedIn> {
  const signedIn = await signIn(context, user, "password");
  if (await isPasswordHash(context.sql, user.id, passwordHash)) return signedIn;
  await context.sessions.end(signedIn.token);
  throw wrongLogin();
}

async function challengeOf(context: CallContext, user: MemberRow, passwordHash: string): Promise<SecondFactorNeeded> {
  const { sql, clock } = context;
  const challenge = randomText(43);
  const hash = digest(challenge);
  const expires_at = new Date(clock().getTime() + challengeMs);
  await insertChallenge(sql, { hash, purpose: "second_factor", user_id: user.id, expires_at });
  if (!(await isPasswordHash(sql, user.id, passwordHash))) {
    await takeChallenge(sql, hash, "second_factor", user.id);
    throw wrongLogin();
  }
  await context.actAs(asActor(user));
  return { secondFactor: true, challenge };
}

export const needsPasskey = (): TRPCError =>
  new Refusal("FORBIDDEN", say("Your account requires a second factor, and yours is a passkey: sign in with the passkey"));

export const wrongLogin = (): TRPCError => new Refusal("UNAUTHORIZED", say("The e-mail address or the password is wrong"));

/** Notes for the owners of the person's accounts that somebody failed to sign in as them. */
export async function recordFailure(context: RequestContext, { id, email }: Pick<UserRow, "id" | "email">): Promise<void> {
  for (const { account_id: accountId, is_moving: isMoving } of await listMemberships(context.sql, id)) {
    if (isMoving) continue;
    await recordMutation(context, { accountId, name: email, userId: null, tokenId: null }, { action: failedSignIn, subject: id });
  }
}

export const needsOpenId = ({ config }: RequestContext): TRPCError =>
  new Refusal(
    "FORBIDDEN",
    say('This account accepts only "Sign in with {company}": use that on the sign-in page', {
      company: config.oidc?.name ?? say("the company"),
    }),
  );

export const needsOpenIdProof = ({ config }: RequestContext): TRPCError =>
  new Refusal(
    "FORBIDDEN",
    say(
      "This account, or another of yours, accepts only a confirmation by {issuer}: open /auth/oidc?proof=1 in the browser, or sign in again",
      { issuer: config.oidc?.name ?? say("the company sign-in") },
    ),
  );

/** Starts a session in that account for a person who has proven enough; sets its cookie and the one that marks the device as known. */
export async function signIn(context: CallContext, user: MemberRow, way: SessionWay): Promise<SignedIn> {
  if (user.require_sso && way !== "sso") throw needsOpenId(context);
  if ((await findEmailState(context.sql, user.id))?.sleeps === true) throw asleep(user.email);
  // The entry comes first: a session that nobody knows of is worse than an entry about one that never began.
  await context.actAs(asActor(user));
  const { token, cookie } = await context.sessions.create({ userId: user.id, accountId: user.account_id, way }, context);
  context.setCookie(cookie);
  const device = knownDevice(context, user.id) ?? randomText(22);
  context.setCookie(context.sessions.deviceCookie(`${device}.${markOf(context, device, user.id)}`));
  return { token, user: presentUser(user) };
}

/** The refusal of a person to whom nothing is open until they have opened the mailed link. */
const asleep = (email: string): TRPCError =>
  new Refusal(
    "FORBIDDEN",
    say("Many accounts are being opened right now: open the link that was sent to {email} first, then sign in", { email }),
    new StepNeeded("email"),
  );

/** The actor whom the audit names when somebody is let in. */
export const asActor = ({ account_id: accountId, email: name, id: userId }: MemberRow): Actor => ({
  accountId,
  name,
  userId,
  tokenId: null,
});

/** The id of the calling device if that user has signed in on it before. */
function knownDevice(context: RequestContext, userId: string): string | null {
  const [device = "", mark = ""] = context.deviceCookie?.split(".") ?? [];
  return isSameSecret(mark, markOf(context, device, userId)) ? device : null;
}

/** The mark of a device and a user, which only this installation can make. */
const markOf = ({ vault }: RequestContext, device: string, userId: string): string => vault.fingerprint(`device ${device} of ${userId}`);

export const presentUser = ({ id, email, name, role }: PresentedUser): PresentedUser => ({ id, email, name, role });
