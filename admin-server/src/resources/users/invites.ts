import { idInput } from "shared/core/input/common";
import { listInput } from "shared/core/input/common";
import { deleteInvite } from "shared/db/invite";
import { listInvites } from "shared/db/invite";
import { readCursor, toPage } from "../../list-page.ts";
import { ownerProcedure, router } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { presentInvite } from "./present.ts";

/** Invitations that nobody has accepted. */
export const invitesRouter = router({
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
