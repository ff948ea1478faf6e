import { acceptInviteInput, inviteInput, linkTokenInput, setRoleInput } from "shared/core/input/team";
import { idInput, listInput } from "shared/core/input/values";
import type { Role } from "shared/core/role";
import { say } from "shared/core/wording";
import { deleteChannelOfAddress } from "shared/db/alert/channel";
import { newId } from "shared/db/ids";
import {
  acceptInvite as spendInvite,
  countInvites,
  findInvited,
  insertInvite,
  deleteInvite,
  listInvites,
  type InviteRow,
  type OpenInvite,
} from "shared/db/invite";
import {
  deleteMembership,
  findMember,
  insertMembership,
  listMembers,
  listMemberships,
  lockOwners,
  type MemberRow,
  mostAccounts,
  setMemberRole,
} from "shared/db/membership";
import { couldOwnerSetPassword, deletePasskeysSinceReset } from "shared/db/passkey";
import { insertPasswordReset } from "shared/db/password-reset";
import { deleteSecondFactors } from "shared/db/second-factor";
import { deleteSessionsOfUser, deleteSessionsOfUserWithoutIssuer, moveSession } from "shared/db/session";
import { type Sql, inTransaction } from "shared/db/statement";
import { findUserByEmail, insertUser, isPasswordHash, lockUser, setPasswordHash, type UserRow } from "shared/db/user";
import { randomText } from "shared/secrets/signature";
import type { z } from "zod";
import type { CallContext, RequestContext } from "../context.ts";
import { resetLetter, writeInName } from "../mail/letters.ts";
import { addressHash, enqueueMail } from "../mail/outbox.ts";
import type { Caller } from "../session/caller.ts";
import { hashPassword, requireStrongPassword } from "../session/passwords.ts";
import { digest, requireStillSignedIn, sessionId } from "../session/sessions.ts";
import {
  asActor,
  isPasswordOf,
  needsOpenId,
  signInByPassword,
  signInUnlessChanged,
  type SecondFactorNeeded,
  type SignedIn,
  presentUser,
} from "../session/sign-in.ts";
import { conflict, invalidInput, absent, notFound, requireSeen } from "../trpc/errors.ts";
import { present, readPage } from "../trpc/paging.ts";
import { requireProof } from "../trpc/roles.ts";
import { ownerProcedure, publicProcedure, router } from "../trpc/trpc.ts";

/** Open invitations. */
const invitesRouter = router({
  list: ownerProcedure
    .input(listInput)
    .query(({ ctx, input }) => readPage("invites", input, (page) => listInvites(ctx.sql, ctx.caller.accountId, page), presentInvite)),

  revoke: ownerProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    if (!(await deleteInvite(ctx.sql, ctx.caller.accountId, input.id))) throw notFound("invitation");
    return { id: input.id };
  }),
});

export const usersRouter = router({
  invite: ownerProcedure.input(inviteInput).mutation(({ ctx, input }) => invite(ctx, ctx.caller, input)),

  acceptInvite: publicProcedure.input(acceptInviteInput).mutation(({ ctx, input }) => acceptInvite(ctx, input)),

  /** The account, role and address of an invitation, for anybody with its link; null if it cannot be accepted. A mutation, since the URLs of queries stand in logs. */
  readInvite: publicProcedure.input(linkTokenInput).mutation(async ({ ctx, input }) => {
    const invited = await findInvited(ctx.sql, digest(input.token));
    ctx.recordNothing();
    return { invitation: invited === undefined ? null : { account: invited.account, role: invited.role, email: invited.email } };
  }),

  invites: invitesRouter,

  list: ownerProcedure.input(listInput).query(({ ctx, input }) =>
    readPage("users", input, (page) => listMembers(ctx.sql, ctx.caller.accountId, page), presentMember, {
      keyOf: (row) => row.membership_id,
    }),
  ),

  setRole: ownerProcedure.input(setRoleInput).mutation(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const member = (await findMember(ctx.sql, accountId, input.id)) ?? absent("user");
    requireSeen(member.role, input.ifRole, presentMember(member));
    if (input.role !== "owner") await requireAnotherOwner(ctx.sql, accountId, input.id);
    const user = (await setMemberRole(ctx.sql, accountId, input.id, input.role)) ?? absent("user");
    return { user: presentMember(user) };
  }),

  resetPassword: ownerProcedure.input(idInput).mutation(({ ctx, input }) => makePasswordReset(ctx, ctx.caller, input.id)),

  /** For people who have lost the device and the recovery codes. */
  resetSecondFactor: ownerProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    const { accountId, userId } = ctx.caller;
    // A stolen owner session must not be enough to remove the factor.
    if (id === userId) throw conflict("This is your own second factor: change it under My account");
    await requireOnlyHere(ctx.sql, accountId, id);
    await deleteSecondFactors(ctx.sql, id);
    await deleteSessionsOfUser(ctx.sql, id, null);
    return { id };
  }),

  remove: ownerProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const { sql, vault, caller } = ctx;
    const { accountId } = caller;
    await requireAnotherOwner(sql, accountId, input.id);
    const member = await findMember(sql, accountId, input.id);
    // Someone who has left gets no more alerts of the account.
    if (member !== undefined) await deleteChannelOfAddress(sql, accountId, addressHash(vault, member.email));
    if (!(await deleteMembership(sql, accountId, input.id))) throw notFound("user");
    return { id: input.id };
  }),
});

const inviteLifeMs = 7 * 86_400_000;
/** The most invitations of an account that were not accepted, the expired ones included. */
const mostInvites = 200;

/** Valid for seven days. The token follows a #, so it reaches no server's log. `mailed`: the address is sent the link too. */
async function invite(context: RequestContext, caller: Caller, { email, role }: { email: string; role: Role }) {
  const present = await findUserByEmail(context.sql, email);
  // Membership of another account is not revealed here; the invited person learns it on accepting.
  const isMember = present !== undefined && (await findMember(context.sql, caller.accountId, present.id)) !== undefined;
  if (isMember) throw conflict("This person is already in the account");
  const token = randomText(43);
  const expiresAt = new Date(context.clock().getTime() + inviteLifeMs);
  const { accountId, userId: createdBy } = caller;
  const row = { id: newId(), account_id: accountId, created_by: createdBy, email, role, token_hash: digest(token), expires_at: expiresAt };
  await insertInvite(context.sql, row);
  // The refusal rolls the invitation back with the rest of the transaction.
  if ((await countInvites(context.sql, accountId)) > mostInvites)
    throw conflict("An account has at most {most} open invitations: revoke those that nobody accepts", { most: mostInvites });
  const url = `${context.config.publicAdminUrl}/invite#${token}`;
  const letter = await writeInName(context.sql, caller, "invitation", url);
  const by = { address: context.address };
  const mailed = await enqueueMail(context, { kind: "invite", accountId, to: email, letter, expiresAt, by });
  return { id: row.id, token, url, expiresAt: expiresAt.toISOString(), mailed };
}

type Joining = Record<"token" | "name" | "password", string>;

/**
 * Makes the invited person a member of the account and signs them in. A person who is a user already keeps their name, and gives their own password; in a
 * session that the OpenID issuer opened for that address, neither name nor password is asked for.
 */
async function acceptInvite(context: CallContext, joining: z.output<typeof acceptInviteInput>): Promise<SignedIn | SecondFactorNeeded> {
  const { caller } = context;
  const isByIssuer = caller?.via.kind === "session" && caller.via.way === "sso";
  if (!isByIssuer) requireBoth(joining);
  // The check comes before hashing, which is too costly to spend on an invented token.
  const invited = (await findInvited(context.sql, digest(joining.token))) ?? noSuchInvitation();
  const person = await findUserByEmail(context.sql, invited.email);
  if (isByIssuer && person?.id === caller.userId) return joinByIssuer(context, joining.token, caller);
  if (isByIssuer && joining.password === undefined) throw conflict("This invitation is for a different e-mail address");
  if (invited.require_sso) throw needsOpenId(context);
  requireBoth(joining);
  if (person === undefined) return joinAnew(context, joining);
  return signInByPassword(context, await joinAlso(context, joining, person), person.password_hash);
}

async function joinAnew(context: CallContext, { token, name, password }: Joining): Promise<SignedIn> {
  const passwordHash = await hashPassword(password);
  const member = await inTransaction(context.sql, async (sql) => {
    const invite = await takeInvite(sql, token);
    // The invitation stays open.
    requireStrongPassword(password, [invite.email, name]);
    const id = newId();
    // Where anybody may open an account, a link that was passed on proves no mailbox.
    const email_proven = !context.config.allowSignUp;
    const isNew = await insertUser(sql, { id, email: invite.email, name, password_hash: passwordHash, email_proven });
    if (!isNew) throw conflict("This address has just been signed up: try again with its password");
    return addMember(context, sql, invite, id);
  });
  return signInUnlessChanged(context, member, passwordHash);
}

/** The calling session goes over to the account. A new one would be a fresh proof, and last longer, without the issuer having been asked. */
async function joinByIssuer(context: CallContext, token: string, caller: Caller): Promise<SignedIn> {
  requireProof(caller);
  const { userId, via } = caller;
  const session = via.kind === "session" ? via.token : "";
  const unknown = await hashPassword(randomText(43));
  return inTransaction(context.sql, async (sql) => {
    await lockUser(sql, userId);
    await requireStillSignedIn(sql, caller);
    const invite = await takeInvite(sql, token);
    await requireRoomForAccount(sql, userId);
    await deletePasskeysSinceReset(sql, userId);
    // No password was asked for, so one that an owner of another account may know must not lead into this one.
    if (await couldOwnerSetPassword(sql, userId)) {
      await setPasswordHash(sql, userId, unknown);
      await deleteSessionsOfUserWithoutIssuer(sql, userId);
    }
    const member = await addMember(context, sql, invite, userId);
    await moveSession(sql, sessionId(session), member.account_id);
    return { token: session, user: presentUser(member) };
  });
}

async function joinAlso(context: CallContext, { token, password }: Joining, person: UserRow & { password_hash: string }) {
  if (!(await isPasswordOf(context, person.email, password, person))) throw notTheirPassword();
  return inTransaction(context.sql, async (sql) => {
    // The lock makes simultaneous invitations see the memberships that the earlier ones made.
    await lockUser(sql, person.id);
    const invite = await takeInvite(sql, token);
    if (!(await isPasswordHash(sql, person.id, person.password_hash))) throw notTheirPassword();
    await requireRoomForAccount(sql, person.id);
    // A passkey that somebody added after a reset by the other account must not open this one.
    await deletePasskeysSinceReset(sql, person.id);
    return addMember(context, sql, invite, person.id);
  });
}

async function requireRoomForAccount(sql: Sql, userId: string): Promise<void> {
  if ((await listMemberships(sql, userId)).length >= mostAccounts)
    throw conflict("A person can be in at most {most} accounts", { most: mostAccounts });
}

function requireBoth(joining: z.output<typeof acceptInviteInput>): asserts joining is Joining {
  const missing = (["name", "password"] as const).filter((member) => joining[member] === undefined);
  if (missing.length > 0) throw invalidInput(missing.map((member) => ({ path: [member], said: say("Is required") })));
}

const notTheirPassword = () =>
  invalidInput([{ path: ["password"], said: say("This address already has a password here: enter that one, not a new one") }]);

const takeInvite = async (sql: Sql, token: string) => (await spendInvite(sql, digest(token))) ?? noSuchInvitation();

async function addMember(context: CallContext, sql: Sql, { account_id: accountId, role }: OpenInvite, userId: string): Promise<MemberRow> {
  const member = await insertMembership(sql, { userId, accountId, role });
  if (member === undefined) throw conflict("You are already in this account: sign in");
  await context.actAs(asActor(member), { changes: [{ member: "role", after: role }] }, sql);
  return member;
}

const noSuchInvitation = () => absent("invitation, or it was used, revoked or has expired: ask for a new one");

/** @throws TRPCError CONFLICT when the user is the only owner. `sql` is the transaction that removes or demotes them */
async function requireAnotherOwner(sql: Sql, accountId: string, userId: string): Promise<void> {
  const owners = await lockOwners(sql, accountId);
  if (owners.length === 1 && owners[0] === userId) throw conflict("This is the last owner: make someone else an owner first");
}

const resetLifeMs = 86_400_000;

/** Makes a link, valid once and for a day, with which the person sets a new password themselves. */
async function makePasswordReset(context: RequestContext, caller: Caller, userId: string) {
  const { sql } = context;
  const { accountId, userId: createdBy } = caller;
  // A stolen owner session must not be enough to take the user over.
  if (userId === createdBy) throw conflict("This is your own account: change your password with the current one");
  const token = randomText(43);
  const url = `${context.config.publicAdminUrl}/reset-password#${token}`;
  const expiresAt = new Date(context.clock().getTime() + resetLifeMs);
  const { email: to } = await requireOnlyHere(sql, accountId, userId);
  const link = { user_id: userId, account_id: accountId, created_by: createdBy, token_hash: digest(token), expires_at: expiresAt };
  await insertPasswordReset(sql, link);
  const letter = resetLetter({ url, hours: resetLifeMs / 3_600_000, by: caller.email });
  const mailed = await enqueueMail(context, { kind: "reset", accountId, to, letter, expiresAt, by: null });
  return { id: userId, token, url, expiresAt: expiresAt.toISOString(), mailed };
}

/** Refuses changes that would open the person's other account to an owner of this one. @throws TRPCError NOT_FOUND, CONFLICT. `sql` is a transaction */
async function requireOnlyHere(sql: Sql, accountId: string, userId: string): Promise<MemberRow> {
  await lockUser(sql, userId);
  const accounts = await listMemberships(sql, userId);
  const member = accounts.find((each) => each.account_id === accountId) ?? absent("user");
  if (accounts.length > 1)
    throw conflict("This person is in another account too, so only npm run reset-password on the server can do this");
  return member;
}

const presentInvite = (row: InviteRow) => present(row, "id", "email", "role", "created_by", "created_at", "expires_at");

const presentMember = (row: MemberRow) => ({ ...presentUser(row), createdAt: row.created_at.toISOString() });
