import { createBindingInput, listBindingsInput, previewBindingInput, updateBindingInput } from "shared/core/input/bindings";
import { idInput } from "shared/core/input/common";
import { deleteBinding } from "shared/db/binding";
import { listBindings } from "shared/db/binding";
import { findSite } from "shared/db/site";
import { inTransaction } from "shared/db/transaction";
import { readCursor, toPage } from "../../list-page.ts";
import { operatorProcedure, router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { presentBinding } from "./present.ts";
import { previewBinding } from "./preview.ts";
import { addBinding, changeBinding, lockBinding, readBinding } from "./write-binding.ts";

export const bindingsRouter = router({
  create: operatorProcedure.input(createBindingInput).mutation(async ({ ctx, input }) => {
    const row = await inTransaction(ctx.sql, (sql) => addBinding(sql, ctx.caller.accountId, input));
    return { binding: presentBinding(row, ctx.caller.role) };
  }),

  list: viewerProcedure.input(listBindingsInput).query(async ({ ctx, input }) => {
    const before = readCursor("bindings", input.cursor);
    const { siteId, event, templateId } = input;
    if (siteId !== undefined && (await findSite(ctx.sql, ctx.caller.accountId, siteId)) === undefined) throw notFound("site");
    const rows = await listBindings(ctx.sql, ctx.caller.accountId, { siteId, event, templateId }, { before, limit: input.limit + 1 });
    return toPage(
      "bindings",
      rows,
      input.limit,
      (row) => row.id,
      (row) => presentBinding(row, ctx.caller.role),
    );
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    return { binding: presentBinding(await readBinding(ctx.sql, ctx.caller.accountId, input.id), ctx.caller.role) };
  }),

  update: operatorProcedure.input(updateBindingInput).mutation(async ({ ctx, input }) => {
    const row = await inTransaction(ctx.sql, (sql) => changeBinding(sql, ctx.caller.accountId, input));
    return { binding: presentBinding(row, ctx.caller.role) };
  }),

  delete: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    await inTransaction(ctx.sql, async (sql) => {
      const { id } = await lockBinding(sql, ctx.caller.accountId, input.id);
      await deleteBinding(sql, id);
    });
    return { id: input.id };
  }),

  preview: viewerProcedure.input(previewBindingInput).query(({ ctx, input }) => previewBinding(ctx, ctx.caller, input, ctx.clock())),
});
