import { timingSafeEqual, randomBytes } from "node:crypto";
import type { TRPCError } from "@trpc/server";
import { demoEmail } from "shared/core/example";
import { changePasswordInput, loginInput, resetPasswordInput, signUpInput, switchAccountInput } from "shared/core/input/team";
import { idInput, listInput, noInput } from "shared/core/input/values";
import { judgePassword } from "shared/core/password";
import { type Said, say, write } from "shared/core/wording";
import { findAccount, insertAccount } from "shared/db/account";
import { type AuditChange, lockForAudit } from "shared/db/audit";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { insertMembership, listAccountsOfUser, listMemberships, type MemberRow } from "shared/db/membership";
import { deletePasskeysOfUser } from "shared/db/passkey";
import { findAccountOfReset, takePasswordReset } from "shared/db/password-reset";
import { findSecondFactors, mustHaveSecondFactor } from "shared/db/second-factor";
import { deleteSession, listSessions, deleteSessionByHandle, deleteSessionsOfUser, moveSession, type SessionRow } from "shared/db/session";
import { inTransaction } from "shared/db/transaction";
import { setPasswordHash, findCredentialsEnd, findUserByEmail, anyUserExists, insertUser, isOnlyUser, lockUser } from "shared/db/user";
import { verifyTokenPlace } from "shared/secrets/sealed-columns";
import { ConfigurationError } from "shared/server/configuration-error";
import type { z } from "zod";
import type { RequestContext, CallContext, AdminContext } from "../context.ts";
import { connectNewAccount } from "../sandbox/account.ts";
import type { Caller } from "../session/caller.ts";
import { guarded } from "../session/guess-limit.ts";
import { hashPassword, requireStrongPassword, weakPassword } from "../session/passwords.ts";
import { requirePassword } from "../session/second-factor.ts";
import { endEverything, requireStillSignedIn, sessionId, digest } from "../session/sessions.ts";
import {
  asActor,
  chosenMembership,
  isPasswordOf,
  needsOpenId,
  needsPasskey,
  presentUser,
  signInByPassword,
  signInUnlessChanged,
  wrongLogin,
  type SecondFactorNeeded,
  type SignedIn,
} from "../session/sign-in.ts";
import { recordMutation } from "../trpc/audit-trail.ts";
import { conflict, notFound, Refusal } from "../trpc/errors.ts";
import { readPage } from "../trpc/paging.ts";
import { publicProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

export const authRouter = router({
  state: publicProcedure.input(noInput).query(({ ctx }) => readState(ctx)),

  login: publicProcedure.input(loginInput).mutation(({ ctx, input }) => logIn(ctx, input)),

  signUp: publicProcedure
    // Checked before the input: a closed sign-up is refused as such, whatever the input.
    .use(async ({ ctx, next }) => {
      await checkSignUpIsOpen(ctx);
      return next();
    })
    .input(signUpInput)
    .mutation(({ ctx, input }) => signUp(ctx, input)),

  /** Ends the session that calls. An access token goes on: revoke it instead. */
  logout: viewerProcedure.input(noInput).mutation(async ({ ctx }) => {
    const session = currentSession(ctx.caller);
    await inTransaction(ctx.sql, async (sql) => {
      if (session !== null) await deleteSession(sql, session);
      await ctx.record(sql);
    });
    ctx.setCookie(ctx.sessions.blankCookies());
    return {};
  }),

  me: viewerProcedure.input(noInput).query(async ({ ctx }) => {
    const { userId: id, email, name, role, accountId, via, from } = ctx.caller;
    const [account, accounts, factors, credentialsEnd] = await Promise.all([
      findAccount(ctx.sql, accountId),
      listAccountsOfUser(ctx.sql, id),
      findSecondFactors(ctx.sql, id),
      findCredentialsEnd(ctx.sql, id),
    ]);
    if (account === undefined) throw notFound("account");
    return {
      user: presentUser({ id, email, name, role }),
      account: { id: account.id, name: account.name },
      /** The caller's address when the account lets nobody in from there: nothing but signing out and switching accounts is open. */
      refusedAddress: from.isAllowed ? null : from.address,
      /** The accounts that the person may switch to, and this one; an access token has only its own. */
      accounts: via.kind === "session" ? accounts : accounts.filter((each) => each.id === accountId),
      secondFactor: {
        totp: factors.totp,
        recoveryCodes: factors.recovery_codes,
        passkeys: factors.passkeys,
        /** The account demands a second factor, and nothing else is open until one is set up. */
        mustEnroll: via.kind === "session" && via.mustEnroll,
      },
      /** How the session was opened; null for an access token. */
      way: via.kind === "session" ? via.way : null,
      /** When the OpenID issuer first vouched for the address, which ended earlier passwords, sessions and tokens; null if nothing was ended. */
      credentialsEndedAt: credentialsEnd?.toISOString() ?? null,
    };
  }),

  /** Lets the calling session work in another account of its person. */
  switchAccount: viewerProcedure.input(switchAccountInput).mutation(async ({ ctx, input: { accountId } }) => {
    const { userId, email } = ctx.caller;
    await requireWayInto(ctx, ctx.caller, accountId);
    await inTransaction(ctx.sql, async (sql) => {
      if (!(await moveSession(sql, currentSession(ctx.caller) ?? "", accountId))) throw notFound("account");
      await requireStillSignedIn(sql, ctx.caller);
      // Only the account that is entered gets an entry: the one that is left learns nothing of it.
      await ctx.actAs({ accountId, name: email, userId, tokenId: null }, { subject: accountId }, sql);
    });
    return { account: { id: accountId } };
  }),

  changePassword: viewerProcedure.input(changePasswordInput).mutation(({ ctx, input }) => changePassword(ctx, ctx.caller, input)),

  /** Sets a new password with the token of a link that an owner made. */
  resetPassword: publicProcedure.input(resetPasswordInput).mutation(({ ctx, input }) => resetPassword(ctx, input)),

  /** The caller's own sessions, newest first. */
  sessions: viewerProcedure.input(listInput).query(({ ctx, input }) => {
    const current = currentSession(ctx.caller);
    return readPage(
      "sessions",
      input,
      (page) => listSessions(ctx.sql, ctx.caller.userId, page),
      (row) => presentSession(row, current),
      { keyOf: ({ handle }) => handle },
    );
  }),

  revokeSession: viewerProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const ended = await inTransaction(ctx.sql, async (sql) => {
      const session = await deleteSessionByHandle(sql, ctx.caller.userId, input.id);
      if (session === undefined) throw notFound("session");
      await ctx.record(sql, { subject: input.id });
      return session;
    });
    if (ended === currentSession(ctx.caller)) ctx.setCookie(ctx.sessions.blankCookies());
    return { id: input.id };
  }),

  /** Ends every session of the caller, this one included. */
  signOutEverywhere: viewerProcedure.input(noInput).mutation(async ({ ctx }) => {
    await inTransaction(ctx.sql, async (sql) => {
      await deleteSessionsOfUser(sql, ctx.caller.userId, null);
      await ctx.record(sql);
    });
    ctx.setCookie(ctx.sessions.blankCookies());
    return {};
  }),
});

/** Refuses an account that this session could not have been opened in. @throws TRPCError NOT_FOUND, FORBIDDEN */
async function requireWayInto(context: RequestContext, { userId, via }: Caller, accountId: string): Promise<void> {
  const wanted = (await listMemberships(context.sql, userId)).find((each) => each.account_id === accountId);
  if (wanted === undefined) throw notFound("account");
  const way = via.kind === "session" ? via.way : "password";
  if (wanted.require_sso && way !== "sso") throw needsOpenId(context);
  if (!wanted.require_second_factor || way !== "password") return;
  const { passkeys, totp } = await findSecondFactors(context.sql, userId);
  // The password alone would be one factor, as at a sign-in.
  if (passkeys > 0 && !totp) throw needsPasskey();
}

export interface AuthState {
  /** `first` while there is no user yet. */
  signUp: "first" | "open" | "closed";
  /** The first sign-up from another machine takes the setup code. */
  setupCodeNeeded: boolean;
  /** True if the caller has a valid session or access token. */
  signedIn: boolean;
  /** The OpenID issuer's name; `/auth/oidc` leads to it. */
  sso: { name: string } | null;
  /** People who have forgotten their password can ask for a link by e-mail. */
  mail: boolean;
  /** True while only the owner of the try-out's demo shop has an account, and the caller is on this machine. */
  demo: boolean;
}

async function readState({ sql, config, isLocal, caller, mailer, sandbox }: RequestContext): Promise<AuthState> {
  const signedIn = caller !== null;
  const demo = isLocal && !signedIn && sandbox !== null && (await isOnlyUser(sql, demoEmail));
  const sso = config.oidc === null ? null : { name: config.oidc.name };
  const isFirst = !signedIn && !(await anyUserExists(sql));
  const mail = mailer !== null;
  if (!isFirst) return { signUp: config.allowSignUp ? "open" : "closed", setupCodeNeeded: false, signedIn, sso, mail, demo };
  return { signUp: "first", setupCodeNeeded: !config.allowSignUp && !isLocal, signedIn, sso, mail, demo };
}

/** Answers the same after the same work, whether the address or the password is wrong. */
async function logIn(
  context: CallContext,
  { email, password }: { email: string; password: string },
): Promise<SignedIn | SecondFactorNeeded> {
  const user = await findUserByEmail(context.sql, email);
  if (!(await isPasswordOf(context, email, password, user)) || user === undefined) throw wrongLogin();
  return signInByPassword(context, await chosenMembership(context.sql, user.id, "password"), user.password_hash);
}

/** Opens an account and signs its owner in. */
async function signUp(context: CallContext, input: z.output<typeof signUpInput>): Promise<SignedIn> {
  const { allowSignUp } = context.config;
  if (!allowSignUp) await checkSetupCode(context, input.setupCode);
  const { accountName, email, password, name = nameFromEmail(email) } = input;
  requireStrongPassword(password, [accountName, email, name]);
  const wanted = { accountName, email, name, passwordHash: await hashPassword(password) };
  const guess = { what: "sign-up", from: context.address };
  // Only taken addresses count as wrong guesses: trying one address after the other would reveal who has an account.
  const record = (sql: Sql, owner: MemberRow) => context.actAs(asActor(owner), {}, sql);
  const user = await guarded(
    context.sql,
    guess,
    () => openAccount(context, wanted, !allowSignUp, record),
    (opened) => opened !== "taken",
  );
  if (user === "closed") throw closed();
  if (user === "taken") throw conflict("This sign-up cannot be completed: sign in if you have an account, or use another address");
  await connectNewAccount(context, user.account_id);
  return signInUnlessChanged(context, user, wanted.passwordHash);
}

/** @throws TRPCError FORBIDDEN once there is a user, unless ALLOW_SIGNUP is set. */
async function checkSignUpIsOpen({ sql, config }: RequestContext): Promise<void> {
  if (!config.allowSignUp && (await anyUserExists(sql))) throw closed();
}

const closed = (): TRPCError => new Refusal("FORBIDDEN", say("Sign-up is closed here: ask an owner for an invitation, or sign in"));

/** Keeps a stranger who finds a fresh server on the network from becoming its owner. */
async function checkSetupCode(context: RequestContext, given: string | undefined): Promise<void> {
  if (context.isLocal) return;
  const { setupCode } = context.config;
  if (setupCode === null)
    throw needsCode(say("start the server with SETUP_CODE set and enter that code, or sign up on the server's own machine"));
  if (given === undefined) throw needsCode(say("enter the setup code that was printed when the server started"));
  const guess = { what: "setup code", from: context.address };
  const isRight = await guarded(context.sql, guess, async () => timingSafeEqual(digest(given), digest(setupCode)), Boolean);
  if (!isRight) throw needsCode(say("the setup code is wrong; it was printed when the server started"));
}

const needsCode = (what: Said): TRPCError =>
  new Refusal("FORBIDDEN", say("The first sign-up from another machine needs the setup code: {what}", { what }));

/** Sets the caller's password and ends their other sessions. */
async function changePassword(
  context: CallContext,
  caller: Caller,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<Record<never, never>> {
  requireStrongPassword(newPassword, [caller.email, caller.name], "newPassword");
  await requirePassword(context, caller, currentPassword, "currentPassword");
  const passwordHash = await hashPassword(newPassword);
  await inTransaction(context.sql, async (sql) => {
    await lockUser(sql, caller.userId);
    await requireStillSignedIn(sql, caller);
    await setPasswordHash(sql, caller.userId, passwordHash);
    await deleteSessionsOfUser(sql, caller.userId, currentSession(caller));
    await context.record(sql, { changes: passwordChanged });
  });
  return {};
}

const passwordChanged: AuditChange[] = [{ member: "password", secret: true }];

/** Sets the password of the link's user, ends everything that they had opened, and signs them in as far as the password alone may. */
async function resetPassword(
  context: CallContext,
  { token, password }: { token: string; password: string },
): Promise<SignedIn | SecondFactorNeeded> {
  const hash = digest(token);
  const accountId = await findAccountOfReset(context.sql, hash);
  if (accountId === undefined) throw noSuchLink();
  const passwordHash = await hashPassword(password);
  const user = await inTransaction(context.sql, async (sql) => {
    await lockForAudit(sql, accountId);
    const found = await takePasswordReset(sql, hash);
    if (found === undefined) throw noSuchLink();
    // The link stays open.
    requireStrongPassword(password, [found.email, found.name]);
    const member = await chosenMembership(sql, found.id, "password");
    if (member.require_sso) throw needsOpenId(context);
    await setPasswordHash(sql, found.id, passwordHash);
    await endEverything(sql, found.id);
    await endPasskeys(sql, found.id);
    await context.actAs(asActor(member), { changes: passwordChanged }, sql);
    return found;
  });
  return signInByPassword(context, await chosenMembership(context.sql, user.id, "password"), passwordHash);
}

/** Deletes the user's passkeys, which open as much as the password. They stay if they are the only demanded second factor: otherwise the link alone would be enough. */
async function endPasskeys(sql: Sql, userId: string): Promise<void> {
  const { totp } = await findSecondFactors(sql, userId);
  if (totp || !(await mustHaveSecondFactor(sql, userId))) await deletePasskeysOfUser(sql, userId);
}

const noSuchLink = () => notFound("link, or it was used, replaced or has expired: ask for a new one");

const currentSession = ({ via }: Caller): string | null => (via.kind === "session" ? sessionId(via.token) : null);

/** `current` marks the calling session. `lastUsedAt`, `address` and `userAgent` may be a minute behind. */
const presentSession = (row: SessionRow, current: string | null) => ({
  id: row.handle,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  address: row.address,
  userAgent: row.user_agent,
  current: row.id === current,
});

/** Creates the owner of ADMIN_EMAIL while there is no user. */
export async function makeFirstOwner(context: AdminContext): Promise<void> {
  const { firstOwner } = context.config;
  if (firstOwner === null || (await anyUserExists(context.sql))) return;
  const { email, password } = firstOwner;
  if (judgePassword(password, [email]).isWeak) throw new ConfigurationError([`ADMIN_PASSWORD ${write(weakPassword).replace("Is", "is")}`]);
  const wanted = { accountName: "My account", email, name: nameFromEmail(email), passwordHash: await hashPassword(password) };
  const owner = await openAccount(context, wanted, true, (sql, { account_id: accountId, id: subject }) =>
    recordMutation(
      { sql, address: null },
      { accountId, name: "ADMIN_EMAIL", userId: null, tokenId: null },
      { action: "auth.signUp", subject },
    ),
  );
  if (typeof owner === "string") return;
  context.log.info({ email }, "first owner made");
  await connectNewAccount(context, owner.account_id);
}

/** The part before the @: a first name for the person until they choose one. */
const nameFromEmail = (email: string): string => email.slice(0, email.lastIndexOf("@"));

export interface AccountToOpen {
  accountName: string;
  email: string;
  name: string;
  passwordHash: string;
}

/**
 * Creates an account and its owner. With `onlyFirst` it answers `closed` once there is any user; of several attempts at once, on whichever servers, one
 * succeeds. `taken`: another user has that address.
 */
async function openAccount(
  { sql, vault }: Pick<AdminContext, "sql" | "vault">,
  wanted: AccountToOpen,
  onlyFirst: boolean,
  record: (sql: Sql, owner: MemberRow) => Promise<void>,
): Promise<MemberRow | "closed" | "taken"> {
  try {
    return await inTransaction(sql, async (transaction) => {
      if (onlyFirst && !(await isFirst(transaction))) return "closed";
      const accountId = newId();
      const seal = await vault.sealer(transaction);
      const verifyToken = seal(randomBytes(24).toString("base64url"), verifyTokenPlace(accountId));
      await insertAccount(transaction, { id: accountId, name: wanted.accountName, verify_token: verifyToken });
      const { email, name, passwordHash } = wanted;
      const userId = newId();
      if (!(await insertUser(transaction, { id: userId, email, name, password_hash: passwordHash }))) throw new AddressTaken();
      const owner = await insertMembership(transaction, { userId, accountId, role: "owner" });
      if (owner === undefined) throw new AddressTaken();
      await record(transaction, owner);
      return owner;
    });
  } catch (error) {
    if (error instanceof AddressTaken) return "taken";
    throw error;
  }
}

/** Rolls back the account that was just inserted. */
class AddressTaken extends Error {
  override readonly name = "AddressTaken";
}

/** An advisory lock id that nothing else uses. */
const firstUserLock = 7_305_461;

async function isFirst(sql: Sql): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${firstUserLock}::bigint)`;
  return !(await anyUserExists(sql));
}
