import { idInput } from "shared/core/input/id";
import { listTemplatesInput, updateTemplateInput } from "shared/core/input/template";
import { templateInputSchema } from "shared/core/template/input";
import { listTemplateRows } from "shared/db/tables/template/list";
import { readCursor, toPage } from "../../list-page.ts";
import { operatorProcedure, router, viewerProcedure } from "../../trpc.ts";
import { askPlatform, credentialsOf } from "./platform-refusal.ts";
import { presentTemplate } from "./present.ts";
import { removeTemplate } from "./remove-template.ts";
import { submitTemplate } from "./submit-template.ts";
import { syncTemplates } from "./sync-templates.ts";
import { changeTemplate, createDraft, readTemplate } from "./write-template.ts";

export const templatesRouter = router({
  create: operatorProcedure.input(templateInputSchema).mutation(async ({ ctx, input }) => {
    return { template: presentTemplate(await createDraft(ctx.sql, ctx.caller.accountId, input)) };
  }),

  list: viewerProcedure.input(listTemplatesInput).query(async ({ ctx, input }) => {
    const before = readCursor("templates", input.cursor);
    const { status, search } = input;
    const rows = await listTemplateRows(ctx.sql, ctx.caller.accountId, { status, search }, { before, limit: input.limit + 1 });
    return toPage("templates", rows, input.limit, (row) => row.id, presentTemplate);
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    return { template: presentTemplate(await readTemplate(ctx.sql, ctx.caller.accountId, input.id)) };
  }),

  update: operatorProcedure.input(updateTemplateInput).mutation(async ({ ctx, input }) => {
    return { template: presentTemplate(await changeTemplate(ctx.sql, ctx.caller.accountId, input)) };
  }),

  submit: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    return { template: presentTemplate(await submitTemplate(ctx, ctx.caller.accountId, input.id)) };
  }),

  delete: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    await removeTemplate(ctx, ctx.caller.accountId, input.id);
    return { id: input.id };
  }),

  sync: operatorProcedure.mutation(async ({ ctx }) => {
    const credentials = await credentialsOf(ctx, ctx.caller.accountId);
    return await askPlatform(syncTemplates(ctx.sql, ctx.platform, credentials, ctx.caller.accountId));
  }),
});
