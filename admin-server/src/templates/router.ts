import { listTemplatesInput, setHeaderMediaInput, updateTemplateInput } from "shared/core/input/bindings";
import { idInput, noInput } from "shared/core/input/values";
import { describeReason } from "shared/core/reason";
import { templateInputSchema, templateWarnings } from "shared/core/template/check";
import { slotCounts, slotNames } from "shared/core/template/slots";
import { changesBetween, readAudited } from "shared/db/audited";
import { countTemplates, listTemplateHistory, listTemplateRows, type TemplateHistoryRow, type TemplateRow } from "shared/db/template";
import { findTemplatePoll, noteTemplateSync, type TemplatePollRow } from "shared/db/template-poll";
import { readPage } from "../trpc/paging.ts";
import { operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";
import { pollPeriodSeconds, syncAccount } from "./sync.ts";
import {
  askPlatform,
  credentialsOf,
  removeTemplate,
  setHeaderMedia,
  submitTemplate,
  changeTemplate,
  createDraft,
  readTemplate,
} from "./write.ts";

export const templatesRouter = router({
  create: operatorProcedure.input(templateInputSchema).mutation(async ({ ctx, input }) => {
    return { template: presentTemplate(await createDraft(ctx.sql, ctx.caller.accountId, input)) };
  }),

  list: viewerProcedure.input(listTemplatesInput).query(({ ctx, input }) => {
    const { status, search } = input;
    return readPage(
      "templates",
      input,
      (page) => listTemplateRows(ctx.sql, ctx.caller.accountId, { status, search }, page),
      presentTemplate,
    );
  }),

  /** The number of templates by status. */
  counts: viewerProcedure.input(noInput).query(async ({ ctx }) => ({ counts: await countTemplates(ctx.sql, ctx.caller.accountId) })),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await readTemplate(ctx.sql, ctx.caller.accountId, input.id);
    return { template: presentTemplate(row), history: (await listTemplateHistory(ctx.sql, row.id)).map(presentChange) };
  }),

  update: operatorProcedure.input(updateTemplateInput).mutation(async ({ ctx, input }) => {
    return { template: presentTemplate(await changeTemplate(ctx.sql, ctx.caller.accountId, input)) };
  }),

  submit: operatorProcedure
    .meta({ ownTransactions: true })
    .input(idInput)
    .mutation(async ({ ctx, input }) => {
      return {
        template: presentTemplate(
          await submitTemplate(ctx, ctx.caller.accountId, input.id, (sql) => ctx.record(sql, { subject: input.id })),
        ),
      };
    }),

  delete: operatorProcedure
    .meta({ ownTransactions: true })
    .input(idInput)
    .mutation(async ({ ctx, input }) => {
      const { accountId } = ctx.caller;
      await removeTemplate(ctx, accountId, input.id, async (sql) => {
        const before = await readAudited(sql, "templates.delete", accountId, input.id);
        await ctx.record(sql, { subject: input.id, changes: changesBetween(before, new Map()) });
      });
      return { id: input.id };
    }),

  setHeaderMedia: operatorProcedure
    .meta({ ownTransactions: true })
    .input(setHeaderMediaInput)
    .mutation(async ({ ctx, input }) => {
      return {
        template: presentTemplate(await setHeaderMedia(ctx, ctx.caller.accountId, input, (sql) => ctx.record(sql, { subject: input.id }))),
      };
    }),

  sync: operatorProcedure
    .meta({ ownTransactions: true })
    .input(noInput)
    .mutation(async ({ ctx }) => {
      const { accountId } = ctx.caller;
      const credentials = await credentialsOf(ctx, accountId);
      const counts = await askPlatform(syncAccount(ctx, ctx.management, credentials, { accountId, source: "sync", record: ctx.record }));
      await noteTemplateSync(ctx.sql, accountId, pollPeriodSeconds);
      return counts;
    }),

  /** When the templates were last synced, and why not since. */
  syncState: viewerProcedure.input(noInput).query(async ({ ctx }) => presentPoll(await findTemplatePoll(ctx.sql, ctx.caller.accountId))),
});

const presentTemplate = ({ definition, ...row }: TemplateRow) => ({
  id: row.id,
  /** The platform's own id; null before the first submission. */
  platformId: row.platform_id,
  name: row.name,
  language: row.language,
  /** Decided by the platform; may differ from `requestedCategory`, which is null for a template made elsewhere. */
  category: row.category,
  requestedCategory: row.requested_category,
  status: row.status,
  /** The platform's reason for a rejection or a pause. */
  reason: row.reason,
  /** The platform's score, such as `GREEN`; null until there is one. */
  quality: row.quality,
  qualityAt: row.quality_at && row.quality_at.toISOString(),
  slots: slotCounts(definition),
  /** The template's names of its slots, in slot order. A variable map counts them from 1. */
  slotNames: slotNames(definition),
  /** Likely mistakes that are no faults. */
  warnings: templateWarnings(definition).map((warning) => describeReason(warning)),
  parameterFormat: definition.parameterFormat,
  header: definition.header,
  body: definition.body,
  footer: definition.footer,
  buttons: definition.buttons,
  examples: definition.examples,
  syncedAt: row.synced_at && row.synced_at.toISOString(),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

/** `source`: the action here (create, submit, delete), or how the platform reported the change (sync, poll, callback). */
const presentChange = ({ at, from_status, to_status, reason, source }: TemplateHistoryRow) => ({
  at: at.toISOString(),
  from: from_status,
  to: to_status,
  reason,
  source,
});

/** All members are null while the account is not connected. */
const presentPoll = (row: TemplatePollRow | undefined) => ({
  lastAt: row?.last_at?.toISOString() ?? null,
  nextAt: row?.due_at.toISOString() ?? null,
  problem: row?.problem ?? null,
});
