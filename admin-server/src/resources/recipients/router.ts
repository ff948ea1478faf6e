import { idInput } from "shared/core/input/common";
import { addRecipientInput, listRecipientsInput, updateRecipientInput } from "shared/core/input/sites";
import { findSite } from "shared/db/site";
import { deleteSiteRecipient } from "shared/db/site-recipient";
import { listSiteRecipients } from "shared/db/site-recipient";
import { inTransaction } from "shared/db/transaction";
import { readCursor, toPage } from "../../list-page.ts";
import { operatorProcedure, router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { presentRecipient } from "./present.ts";
import { addRecipient, changeRecipient, lockRecipient } from "./write-recipient.ts";

export const recipientsRouter = router({
  list: viewerProcedure.input(listRecipientsInput).query(async ({ ctx, input }) => {
    const before = readCursor("recipients", input.cursor);
    if ((await findSite(ctx.sql, ctx.caller.accountId, input.siteId)) === undefined) throw notFound("site");
    const rows = await listSiteRecipients(ctx.sql, input.siteId, { before, limit: input.limit + 1 });
    return toPage(
      "recipients",
      rows,
      input.limit,
      (row) => row.id,
      (row) => presentRecipient(row, ctx.caller.role),
    );
  }),

  add: operatorProcedure.input(addRecipientInput).mutation(async ({ ctx, input }) => {
    const row = await inTransaction(ctx.sql, (sql) => addRecipient(sql, ctx.caller.accountId, input));
    return { recipient: presentRecipient(row, ctx.caller.role) };
  }),

  update: operatorProcedure.input(updateRecipientInput).mutation(async ({ ctx, input }) => {
    const row = await inTransaction(ctx.sql, (sql) => changeRecipient(sql, ctx.caller.accountId, input));
    return { recipient: presentRecipient(row, ctx.caller.role) };
  }),

  remove: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    await inTransaction(ctx.sql, async (sql) => {
      const { id } = await lockRecipient(sql, ctx.caller.accountId, input.id);
      await deleteSiteRecipient(sql, id);
    });
    return { id: input.id };
  }),
});
