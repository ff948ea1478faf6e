import { listTemplatesInput, setHeaderMediaInput, updateTemplateInput } from "shared/core/input/bindings";
import { idInput } from "shared/core/input/values";
import { describeReason } from "shared/core/reason";
import { templateInputSchema, templateWarnings } from "shared/core/template/check";
import { slotCounts, slotNames } from "shared/core/template/slots";
import { countTemplates, listTemplateHistory, listTemplateRows, type TemplateHistoryRow, type TemplateRow } from "shared/db/template";
import { findTemplatePoll, noteTemplateSync, type TemplatePollRow } from "shared/db/template-poll";
import { readCursor, toPage } from "../trpc/paging.ts";
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

const presentTemplate = ({ definition, ...row }: TemplateRow) => ({
  id: row.id,
  /** The platform's own id; null while it has none. */
  platformId: row.platform_id,
  name: row.name,
  language: row.language,
  /** The platform's, which may differ from the one that was asked for (null for a template that was made elsewhere). */
  category: row.category,
  requestedCategory: row.requested_category,
  status: row.status,
  /** Why it was rejected or paused, in the platform's words. */
  reason: row.reason,
  /** The platform's score, such as `GREEN`; null before it has said. */
  quality: row.quality,
  qualityAt: row.quality_at && row.quality_at.toISOString(),
  slots: slotCounts(definition),
  /** What the template calls its slots, in slot order: a variable map names them by their place here, from 1. */
  slotNames: slotNames(definition),
  /** What may look or go otherwise than meant. */
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

/** One change of status. `source`: what was done here (create, submit, delete), or how the platform told it (sync, poll, callback). */
const presentChange = ({ at, from_status, to_status, reason, source }: TemplateHistoryRow) => ({
  at: at.toISOString(),
  from: from_status,
  to: to_status,
  reason,
  source,
});

/** All null while the account is not connected. */
const presentPoll = (row: TemplatePollRow | undefined) => ({
  lastAt: row?.last_at?.toISOString() ?? null,
  nextAt: row?.due_at.toISOString() ?? null,
  problem: row?.problem ?? null,
});
