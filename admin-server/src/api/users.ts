import { acceptInviteInput, inviteInput, setRoleInput } from "shared/core/input/team";
import { idInput, listInput } from "shared/core/input/values";
import type { Role } from "shared/core/role";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { acceptInvite as useInvite, isInviteOpen, insertInvite, deleteInvite, listInvites, type InviteRow } from "shared/db/invite";
import { insertPasswordReset } from "shared/db/password-reset";
import { inTransaction } from "shared/db/transaction";
import { deleteUser, listUsers, setUserRole, insertUser, findUserByEmail, type UserRow, lockOwners, findUser } from "shared/db/user";
import { randomText } from "shared/secrets/signature";
import type { CallContext, RequestContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { strongPasswordSchema, hashPassword } from "../session/passwords.ts";
import { digest } from "../session/sessions.ts";
import { signIn, type SignedIn, presentUser } from "../session/sign-in.ts";
import { notFound, conflict } from "../trpc/errors.ts";
import { readCursor, toPage } from "../trpc/paging.ts";
import { ownerProcedure, publicProcedure, router } from "../trpc/trpc.ts";

/** Invitations that nobody has accepted. */
const invitesRouter = router({
  list: ownerProcedure.input(listInput).query(async ({ ctx, input }) => {
    const before = readCursor("invites", input.cursor);
    const rows = await listInvites(ctx.sql, ctx.caller.accountId, { before, limit: input.limit + 1 });
    return toPage("invites", rows, input.limit, (row) => row.id, presentInvite);
  }),

  revoke: ownerProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    if (!(await deleteInvite(ctx.sql, ctx.caller.accountId, input.id))) throw notFound("invitation");
    return { id: input.id };
  }),
});

const presentInvite = (row: InviteRow) => ({
  id: row.id,
  email: row.email,
  role: row.role,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});

export const usersRouter = router({
  invite: ownerProcedure.input(inviteInput).mutation(({ ctx, input }) => invite(ctx, ctx.caller, input)),

  acceptInvite: publicProcedure
    .input(acceptInviteInput.extend({ password: strongPasswordSchema }))
    .mutation(({ ctx, input }) => acceptInvite(ctx, input)),

  invites: invitesRouter,

  list: ownerProcedure.input(listInput).query(async ({ ctx, input }) => {
    const before = readCursor("users", input.cursor);
    const rows = await listUsers(ctx.sql, ctx.caller.accountId, { before, limit: input.limit + 1 });
    return toPage("users", rows, input.limit, (row) => row.id, presentMember);
  }),

  setRole: ownerProcedure.input(setRoleInput).mutation(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const user = await inTransaction(ctx.sql, async (sql) => {
      if (input.role !== "owner") await keepAnOwner(sql, accountId, input.id);
      return setUserRole(sql, accountId, input.id, input.role);
    });
    if (user === undefined) throw notFound("user");
    return { user: presentMember(user) };
  }),

  resetPassword: ownerProcedure.input(idInput).mutation(({ ctx, input }) => makePasswordReset(ctx, ctx.caller, input.id)),

  remove: ownerProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const removed = await inTransaction(ctx.sql, async (sql) => {
      await keepAnOwner(sql, accountId, input.id);
      return deleteUser(sql, accountId, input.id);
    });
    if (!removed) throw notFound("user");
    return { id: input.id };
  }),
});

/** Makes the invited person a user of the account and signs them in. */
async function acceptInvite(
  context: CallContext,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<SignedIn> {
  const hash = digest(token);
  // Hashing takes a while and much memory: not for whoever makes a token up.
  if (!(await isInviteOpen(context.sql, hash))) throw gone();
  const passwordHash = await hashPassword(password);
  const user = await inTransaction(context.sql, async (sql) => {
    const invite = await useInvite(sql, hash);
    if (invite === undefined) throw gone();
    const { account_id: accountId, email, role } = invite;
    const added = await insertUser(sql, { id: newId(), accountId, email, name, role, passwordHash });
    if (added === undefined) throw conflict("This invitation cannot be accepted: its address has an account already");
    return added;
  });
  return signIn(context, user);
}

const gone = () => notFound("invitation, or it was used, taken back or is too old: ask for a new one");

const inviteLifeMs = 7 * 86_400_000;

/** An invitation for seven days. The token stands after the #, where it reaches no server's log. */
async function invite(context: RequestContext, caller: Caller, { email, role }: { email: string; role: Role }) {
  const present = await findUserByEmail(context.sql, email);
  // That somebody belongs to another account is nobody's business here; accepting will tell them.
  if (present?.account_id === caller.accountId) throw conflict("This person is in the account already");
  const token = randomText(43);
  const expiresAt = new Date(context.clock().getTime() + inviteLifeMs);
  const { accountId, userId: createdBy } = caller;
  const row = { id: newId(), accountId, createdBy, email, role, hash: digest(token), expiresAt };
  await inTransaction(context.sql, (sql) => insertInvite(sql, row));
  return { id: row.id, token, url: `${context.config.publicAdminUrl}/invite#${token}`, expiresAt: expiresAt.toISOString() };
}

const presentMember = (row: UserRow) => ({ ...presentUser(row), createdAt: row.created_at.toISOString() });

/** Refuses to take the role from the only owner. Call in the transaction that takes it. */
async function keepAnOwner(sql: Sql, accountId: string, userId: string): Promise<void> {
  const owners = await lockOwners(sql, accountId);
  if (owners.length === 1 && owners[0] === userId) throw conflict("This is the last owner: make somebody else an owner first");
}

const resetLifeMs = 86_400_000;

/** A link, good for a day and once, by which the person sets a new password: no owner ever knows it. */
async function makePasswordReset(context: RequestContext, { accountId, userId: createdBy }: Caller, userId: string) {
  // Whoever got hold of an owner's session must not take the account over without the password.
  if (userId === createdBy) throw conflict("This is your own account: change your password with the current one");
  const user = await findUser(context.sql, accountId, userId);
  if (user === undefined) throw notFound("user");
  const token = randomText(43);
  const expiresAt = new Date(context.clock().getTime() + resetLifeMs);
  await insertPasswordReset(context.sql, { userId, createdBy, hash: digest(token), expiresAt });
  return { id: userId, token, url: `${context.config.publicAdminUrl}/reset-password#${token}`, expiresAt: expiresAt.toISOString() };
}
