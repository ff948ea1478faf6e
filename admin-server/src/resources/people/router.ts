import { idInput } from "shared/core/input/common";
import { listInput } from "shared/core/input/common";
import { erasePersonInput } from "shared/core/input/team";
import { findErasure, listErasures } from "shared/db/erasure/request";
import { readCursor, toPage } from "../../list-page.ts";
import { ownerProcedure, router } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { erasePerson } from "./erase-person.ts";
import { presentErasure } from "./present.ts";

export const peopleRouter = router({
  erase: ownerProcedure.input(erasePersonInput).mutation(async ({ ctx, input }) => ({
    erasure: presentErasure(await erasePerson(ctx, ctx.caller, input.phone)),
  })),

  erasures: ownerProcedure.input(listInput).query(async ({ ctx, input }) => {
    const before = readCursor("erasures", input.cursor);
    const rows = await listErasures(ctx.sql, ctx.caller.accountId, { before, limit: input.limit + 1 });
    return toPage("erasures", rows, input.limit, (row) => row.id, presentErasure);
  }),

  erasure: ownerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await findErasure(ctx.sql, ctx.caller.accountId, input.id);
    if (row === undefined) throw notFound("erasure");
    return { erasure: presentErasure(row) };
  }),
});
