import { idInput } from "shared/core/input/common";
import { listOptOutsInput } from "shared/core/input/team";
import { optOutKey } from "shared/core/message";
import { liftOptOut } from "shared/db/opt-out";
import { listOptOuts } from "shared/db/opt-out";
import { readCursor, toPage } from "../../list-page.ts";
import { operatorProcedure, router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { requirePhoneSearch } from "../../trpc/shown-phone.ts";
import { presentOptOut } from "./present.ts";

export const optOutsRouter = router({
  list: viewerProcedure.input(listOptOutsInput).query(async ({ ctx, input }) => {
    const before = readCursor("opt-outs", input.cursor);
    const { accountId, role } = ctx.caller;
    requirePhoneSearch(role, input.phone);
    const phoneHash = input.phone === undefined ? null : ctx.vault.fingerprint(optOutKey(accountId, input.phone));
    const rows = await listOptOuts(ctx.sql, accountId, phoneHash, { before, limit: input.limit + 1 });
    return toPage(
      "opt-outs",
      rows,
      input.limit,
      (row) => row.id,
      (row) => presentOptOut(row, role),
    );
  }),

  lift: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    if (!(await liftOptOut(ctx.sql, ctx.caller.accountId, input.id))) throw notFound("opt-out");
    return { id: input.id };
  }),
});
