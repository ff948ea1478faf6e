import { idInput } from "shared/core/input/common";
import { listInput } from "shared/core/input/common";
import { acceptInviteInput } from "shared/core/input/team";
import { inviteInput, setRoleInput } from "shared/core/input/team";
import { inTransaction } from "shared/db/transaction";
import { deleteUser } from "shared/db/user";
import { listUsers } from "shared/db/user";
import { setUserRole } from "shared/db/user";
import { readCursor, toPage } from "../../list-page.ts";
import { strongPasswordSchema } from "../../session/new-password.ts";
import { ownerProcedure, publicProcedure, router } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { acceptInvite } from "./accept-invite.ts";
import { invite } from "./invite.ts";
import { invitesRouter } from "./invites.ts";
import { keepAnOwner } from "./keep-an-owner.ts";
import { presentMember } from "./present.ts";
import { makePasswordReset } from "./reset-password.ts";

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
