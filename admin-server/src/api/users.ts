import { acceptInviteInput, inviteInput, setRoleInput } from "shared/core/input/team";
import { idInput, listInput } from "shared/core/input/values";
import type { Role } from "shared/core/role";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { acceptInvite as useInvite, isInviteOpen, insertInvite, deleteInvite, listInvites, type InviteRow } from "shared/db/invite";
import { insertPasswordReset } from "shared/db/password-reset";
import { deleteSecondFactors } from "shared/db/second-factor";
import { deleteSessionsOfUser } from "shared/db/session";
import { inTransaction } from "shared/db/transaction";
import { deleteUser, listUsers, setUserRole, insertUser, findUserByEmail, type UserRow, lockOwners, findUser } from "shared/db/user";
import { randomText } from "shared/secrets/signature";
import type { CallContext, RequestContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { hashPassword, requireStrongPassword } from "../session/passwords.ts";
import { digest } from "../session/sessions.ts";
import { signIn, type SignedIn, presentUser } from "../session/sign-in.ts";
import { notFound, conflict } from "../trpc/errors.ts";
import { readPage } from "../trpc/paging.ts";
import { ownerProcedure, provenOwnerProcedure, publicProcedure, router } from "../trpc/trpc.ts";

/** Open invitations. */
const invitesRouter = router({
  list: ownerProcedure
    .input(listInput)
    .query(({ ctx, input }) => readPage("invites", input, (page) => listInvites(ctx.sql, ctx.caller.accountId, page), presentInvite)),

  revoke: provenOwnerProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    if (!(await deleteInvite(ctx.sql, ctx.caller.accountId, input.id))) throw notFound("invitation");
    return { id: input.id };
  }),
});

export const usersRouter = router({
  invite: provenOwnerProcedure.input(inviteInput).mutation(({ ctx, input }) => invite(ctx, ctx.caller, input)),

  acceptInvite: publicProcedure.input(acceptInviteInput).mutation(({ ctx, input }) => acceptInvite(ctx, input)),

  invites: invitesRouter,

  list: ownerProcedure
    .input(listInput)
    .query(({ ctx, input }) => readPage("users", input, (page) => listUsers(ctx.sql, ctx.caller.accountId, page), presentMember)),

  setRole: provenOwnerProcedure.input(setRoleInput).mutation(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const user = await inTransaction(ctx.sql, async (sql) => {
      if (input.role !== "owner") await requireAnotherOwner(sql, accountId, input.id);
      return setUserRole(sql, accountId, input.id, input.role);
    });
    if (user === undefined) throw notFound("user");
    return { user: presentMember(user) };
  }),

  resetPassword: provenOwnerProcedure.input(idInput).mutation(({ ctx, input }) => makePasswordReset(ctx, ctx.caller, input.id)),

  /** For who has lost the device and the recovery codes. */
  resetSecondFactor: provenOwnerProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    const { accountId, userId } = ctx.caller;
    // A stolen owner session must not be enough to be rid of it.
    if (id === userId) throw conflict("This is your own second factor: change it on the page My account");
    await inTransaction(ctx.sql, async (sql) => {
      if ((await findUser(sql, accountId, id)) === undefined) throw notFound("user");
      await deleteSecondFactors(sql, id);
      await deleteSessionsOfUser(sql, id, null);
    });
    return { id };
  }),

  remove: provenOwnerProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const removed = await inTransaction(ctx.sql, async (sql) => {
      await requireAnotherOwner(sql, accountId, input.id);
      return deleteUser(sql, accountId, input.id);
    });
    if (!removed) throw notFound("user");
    return { id: input.id };
  }),
});

const inviteLifeMs = 7 * 86_400_000;

/** Valid for seven days. The token follows a #, so it reaches no server's log. */
async function invite(context: RequestContext, caller: Caller, { email, role }: { email: string; role: Role }) {
  const present = await findUserByEmail(context.sql, email);
  // Membership of another account is not revealed here; the invited person learns it on accepting.
  if (present?.account_id === caller.accountId) throw conflict("This person is in the account already");
  const token = randomText(43);
  const expiresAt = new Date(context.clock().getTime() + inviteLifeMs);
  const { accountId, userId: createdBy } = caller;
  const row = { id: newId(), account_id: accountId, created_by: createdBy, email, role, token_hash: digest(token), expires_at: expiresAt };
  await inTransaction(context.sql, (sql) => insertInvite(sql, row));
  return { id: row.id, token, url: `${context.config.publicAdminUrl}/invite#${token}`, expiresAt: expiresAt.toISOString() };
}

/** Makes the invited person a user of the account and signs them in. */
async function acceptInvite(
  context: CallContext,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<SignedIn> {
  const hash = digest(token);
  // Checked before hashing, which is too costly to spend on an invented token.
  if (!(await isInviteOpen(context.sql, hash))) throw noSuchInvitation();
  const passwordHash = await hashPassword(password);
  const user = await inTransaction(context.sql, async (sql) => {
    const invite = await useInvite(sql, hash);
    if (invite === undefined) throw noSuchInvitation();
    const { account_id: accountId, email, role } = invite;
    // The invitation stays open.
    requireStrongPassword(password, [email, name]);
    const added = await insertUser(sql, { id: newId(), account_id: accountId, email, name, role, password_hash: passwordHash });
    if (added === undefined) throw conflict("This invitation cannot be accepted: its address has an account already");
    return added;
  });
  return signIn(context, user);
}

const noSuchInvitation = () => notFound("invitation, or it was used, taken back or is too old: ask for a new one");

/** @throws TRPCError CONFLICT when the user is the only owner. `sql` is the transaction that removes or demotes them */
async function requireAnotherOwner(sql: Sql, accountId: string, userId: string): Promise<void> {
  const owners = await lockOwners(sql, accountId);
  if (owners.length === 1 && owners[0] === userId) throw conflict("This is the last owner: make somebody else an owner first");
}

const resetLifeMs = 86_400_000;

/** A link, valid once and for a day, with which the person sets a new password themselves. */
async function makePasswordReset(context: RequestContext, { accountId, userId: createdBy }: Caller, userId: string) {
  // A stolen owner session must not be enough to take the user over.
  if (userId === createdBy) throw conflict("This is your own account: change your password with the current one");
  const user = await findUser(context.sql, accountId, userId);
  if (user === undefined) throw notFound("user");
  const token = randomText(43);
  const expiresAt = new Date(context.clock().getTime() + resetLifeMs);
  await insertPasswordReset(context.sql, { user_id: userId, created_by: createdBy, token_hash: digest(token), expires_at: expiresAt });
  return { id: userId, token, url: `${context.config.publicAdminUrl}/reset-password#${token}`, expiresAt: expiresAt.toISOString() };
}

const presentInvite = (row: InviteRow) => ({
  id: row.id,
  email: row.email,
  role: row.role,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});

const presentMember = (row: UserRow) => ({ ...presentUser(row), createdAt: row.created_at.toISOString() });
