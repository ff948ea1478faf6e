import { listTemplatesInput, setHeaderMediaInput, updateTemplateInput } from "shared/core/input/bindings";
import { idInput } from "shared/core/input/common";
import { templateInputSchema } from "shared/core/template/check";
import { countTemplates } from "shared/db/template";
import { listTemplateHistory } from "shared/db/template";
import { listTemplateRows } from "shared/db/template";
import { findTemplatePoll } from "shared/db/template-poll";
import { noteTemplateSync } from "shared/db/template-poll";
import { readCursor, toPage } from "../../list-page.ts";
import { pollPeriodSeconds, syncAccount } from "../../templates/sync-account.ts";
import { operatorProcedure, router, viewerProcedure } from "../../trpc.ts";
import { askPlatform, credentialsOf } from "./platform-refusal.ts";
import { presentChange, presentPoll, presentTemplate } from "./present.ts";
import { removeTemplate } from "./remove-template.ts";
import { setHeaderMedia } from "./set-header-media.ts";
import { submitTemplate } from "./submit-template.ts";
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

  /** How many there are in each status. */
  counts: viewerProcedure.query(async ({ ctx }) => ({ counts: await countTemplates(ctx.sql, ctx.caller.accountId) })),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await readTemplate(ctx.sql, ctx.caller.accountId, input.id);
    return { template: presentTemplate(row), history: (await listTemplateHistory(ctx.sql, row.id)).map(presentChange) };
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

  setHeaderMedia: operatorProcedure.input(setHeaderMediaInput).mutation(async ({ ctx, input }) => {
    return { template: presentTemplate(await setHeaderMedia(ctx, ctx.caller.accountId, input)) };
  }),

  sync: operatorProcedure.mutation(async ({ ctx }) => {
    const { accountId } = ctx.caller;
    const credentials = await credentialsOf(ctx, accountId);
    const counts = await askPlatform(syncAccount(ctx, ctx.management, credentials, { accountId, source: "sync" }));
    await noteTemplateSync(ctx.sql, accountId, pollPeriodSeconds);
    return counts;
  }),

  /** When the templates were last read from the platform, and why not since. */
  syncState: viewerProcedure.query(async ({ ctx }) => presentPoll(await findTemplatePoll(ctx.sql, ctx.caller.accountId))),
});
