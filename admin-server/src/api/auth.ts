import { demoEmail } from "shared/core/example";
import {
  changePasswordInput,
  loginInput,
  madeSinceInput,
  resetPasswordInput,
  signUpInput,
  switchAccountInput,
} from "shared/core/input/team";
import { idInput, listInput, noInput } from "shared/core/input/values";
import { findAccount } from "shared/db/account";
import { type AuditChange, lockForAudit } from "shared/db/audit";
import { listMadeSince, listOthersMadeIn } from "shared/db/made-since";
import { listAccountsOfUser, listMemberships } from "shared/db/membership";
import { deletePasskeysOfUser } from "shared/db/passkey";
import { deletePasswordResetsBy, findAccountOfReset, takePasswordReset } from "shared/db/password-reset";
import { findSecondFactors, mustHaveSecondFactor } from "shared/db/second-factor";
import { deleteSession, listSessions, deleteSessionByHandle, deleteSessionsOfUser, moveSession, type SessionRow } from "shared/db/session";
import { inTransaction } from "shared/db/statement";
import { setPasswordHash, findCredentialsEnd, findEmailState, findUserByEmail, anyUserExists, isOnlyUser, lockUser } from "shared/db/user";
import type { z } from "zod";
import type { RequestContext, CallContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { hashPassword, requireStrongPassword } from "../session/passwords.ts";
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
  wrongLogin,
} from "../session/sign-in.ts";
import { absent, accountMoves, notFound } from "../trpc/errors.ts";
import { present, readPage } from "../trpc/paging.ts";
import { shownText } from "../trpc/roles.ts";
import { publicProcedure, router, viewerProcedure } from "../trpc/trpc.ts";
import { mailProof } from "./profile.ts";
import { checkSignUpIsOpen, signUp } from "./sign-up.ts";

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
      // The audit of an account that moves takes no entry.
      if (ctx.caller.isMoving) ctx.recordNothing();
      else await ctx.record(sql);
    });
    ctx.setCookie(ctx.sessions.blankCookies());
    return {};
  }),

  me: viewerProcedure.input(noInput).query(async ({ ctx }) => {
    const { userId: id, email, name, role, accountId, via, from } = ctx.caller;
    const [account, accounts, factors, credentialsEnd, emailState] = await Promise.all([
      findAccount(ctx.sql, accountId),
      listAccountsOfUser(ctx.sql, id),
      findSecondFactors(ctx.sql, id),
      findCredentialsEnd(ctx.sql, id),
      findEmailState(ctx.sql, id),
    ]);
    if (account === undefined) throw notFound("account");
    return {
      /** `emailProven`: the person has opened a link that was mailed to the address. Until an owner has, the account mails nobody else. */
      user: { ...presentUser({ id, email, name, role }), emailProven: emailState?.email_proven === true },
      account: { id: account.id, name: account.name },
      /** The account's. */
      timezone: account.timezone,
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

  /** The caller's own sessions, newest first; `current` marks the calling one. `lastUsedAt`, `address` and `userAgent` may be a minute behind. */
  sessions: viewerProcedure.input(listInput).query(({ ctx, input }) => {
    const current = currentSession(ctx.caller);
    const shown = (row: SessionRow) => ({
      id: row.handle,
      ...present(row, "created_at", "last_used_at", "expires_at", "address", "user_agent"),
      current: row.id === current,
    });
    return readPage("sessions", input, (page) => listSessions(ctx.sql, ctx.caller.userId, page), shown, { keyOf: ({ handle }) => handle });
  }),

  revokeSession: viewerProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const ended = await inTransaction(ctx.sql, async (sql) => {
      const session = (await deleteSessionByHandle(sql, ctx.caller.userId, input.id)) ?? absent("session");
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
      await deletePasswordResetsBy(sql, ctx.caller.userId);
      await ctx.record(sql);
    });
    ctx.setCookie(ctx.sessions.blankCookies());
    return {};
  }),

  /**
   * What the caller has made since then and that is still there, and the people whom they have let in: whoever had their session may have done it. `elsewhere`: their other accounts in which something was made.
   */
  madeSince: viewerProcedure.input(madeSinceInput).query(async ({ ctx, input: { since } }) => {
    const { accountId, userId, role } = ctx.caller;
    const by = { accountId, userId, since };
    const [rows, elsewhere] = await Promise.all([listMadeSince(ctx.sql, by), listOthersMadeIn(ctx.sql, by)]);
    const items = rows.map((row) => ({ ...present(row, "kind", "id", "made_at"), name: shownText(row.name, role) }));
    return { items, elsewhere: [...elsewhere] };
  }),
});

/** Refuses an account that this session could not have been opened in. @throws TRPCError NOT_FOUND, FORBIDDEN */
async function requireWayInto(context: RequestContext, { userId, via }: Caller, accountId: string): Promise<void> {
  const wanted = (await listMemberships(context.sql, userId)).find((each) => each.account_id === accountId) ?? absent("account");
  const way = via.kind === "session" ? via.way : "password";
  if (wanted.is_moving) throw accountMoves();
  if (wanted.require_sso && way !== "sso") throw needsOpenId(context);
  if (!wanted.require_second_factor || way !== "password") return;
  const { passkeys, totp } = await findSecondFactors(context.sql, userId);
  // The password alone would be one factor, as at a sign-in.
  if (passkeys > 0 && !totp) throw needsPasskey();
}

/**
 * `signUp` is `first` while there is no user yet, whose sign-up from another machine takes the setup code. `sso`: the OpenID issuer's name; `/auth/oidc`
 * leads to it. `mail`: people who have forgotten their password can ask for a link. `demo`: only the owner of the try-out's demo shop has an account, and
 * the caller is on this machine.
 */
async function readState({ sql, config, isLocal, caller, mailer, sandbox }: RequestContext) {
  const signedIn = caller !== null;
  const isFirst = !signedIn && !(await anyUserExists(sql));
  const signUp: "first" | "open" | "closed" = isFirst ? "first" : config.allowSignUp ? "open" : "closed";
  const demo = isLocal && !signedIn && sandbox !== null && (await isOnlyUser(sql, demoEmail));
  const sso = config.oidc === null ? null : { name: config.oidc.name };
  return { signUp, setupCodeNeeded: isFirst && !config.allowSignUp && !isLocal, signedIn, sso, mail: mailer !== null, demo };
}

/** Answers the same after the same work, whether the address or the password is wrong. */
async function logIn(context: CallContext, { email, password }: { email: string; password: string }) {
  const user = await findUserByEmail(context.sql, email);
  if (!(await isPasswordOf(context, email, password, user)) || user === undefined) throw wrongLogin();
  if (user.sleeps) await mailAgain(context, user);
  return signInByPassword(context, await chosenMembership(context.sql, user.id, "password"), user.password_hash);
}

/** Mails a person who may not sign in yet the link again, as often as the limits of mails allow. */
const mailAgain = (context: CallContext, { id, email }: { id: string; email: string }): Promise<unknown> =>
  inTransaction(context.sql, async (sql) => {
    const [member] = await listMemberships(sql, id);
    if (member !== undefined) await mailProof({ ...context, sql }, { id, email, account_id: member.account_id });
  });

/** Sets the caller's password and ends their other sessions. */
async function changePassword(context: CallContext, caller: Caller, input: z.output<typeof changePasswordInput>) {
  const { currentPassword, newPassword } = input;
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
async function resetPassword(context: CallContext, { token, password }: { token: string; password: string }) {
  const hash = digest(token);
  const accountId = (await findAccountOfReset(context.sql, hash)) ?? noSuchLink();
  const passwordHash = await hashPassword(password);
  const user = await inTransaction(context.sql, async (sql) => {
    await lockForAudit(sql, accountId);
    const found = (await takePasswordReset(sql, hash)) ?? noSuchLink();
    // The link stays open.
    requireStrongPassword(password, [found.email, found.name]);
    const member = await chosenMembership(sql, found.id, "password");
    if (member.require_sso) throw needsOpenId(context);
    await setPasswordHash(sql, found.id, passwordHash);
    await endEverything(sql, found.id);
    // Passkeys open as much as the password. They stay if they are the only demanded second factor: otherwise the link alone would be enough.
    const { totp } = await findSecondFactors(sql, found.id);
    if (totp || !(await mustHaveSecondFactor(sql, found.id))) await deletePasskeysOfUser(sql, found.id);
    await context.actAs(asActor(member), { changes: passwordChanged }, sql);
    return found;
  });
  return signInByPassword(context, await chosenMembership(context.sql, user.id, "password"), passwordHash);
}

const noSuchLink = () => absent("link, or it was used, replaced or has expired: ask for a new one");

const currentSession = ({ via }: Caller): string | null => (via.kind === "session" ? sessionId(via.token) : null);
