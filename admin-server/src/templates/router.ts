import { listTemplatesInput, setHeaderMediaInput, templateUsageInput, updateTemplateInput } from "shared/core/input/bindings";
import { templateInputSchema, uncheckedTemplateSchema } from "shared/core/input/templates";
import { clientIdMember, idInput, noInput, restoreInput } from "shared/core/input/values";
import { maskedText } from "shared/core/known-values";
import { maskSample } from "shared/core/mask";
import { describeReason } from "shared/core/reason";
import { templateWarnings } from "shared/core/template/check";
import type { UncheckedTemplate } from "shared/core/template/draft";
import { checkAndMend } from "shared/core/template/mend";
import { slotCounts, slotNames } from "shared/core/template/slots";
import { isBlank } from "shared/core/text";
import { uuidFloor } from "shared/core/uuid";
import type { VariableMap } from "shared/core/variables";
import { changesBetween, readAudited } from "shared/db/audited";
import { listBindings } from "shared/db/binding";
import { findEventKinds } from "shared/db/event-kind";
import { readTemplateUse, type TemplateUseRow } from "shared/db/notification/statistics";
import { listVersions, type TemplateContent, type VersionRow } from "shared/db/object-version";
import type { Sql } from "shared/db/statement";
import { countTemplates, listTemplateHistory, listTemplateRows, type TemplateRow, findTemplateByName } from "shared/db/template";
import { findTemplatePoll, noteTemplateSync } from "shared/db/template-poll";
import { readRowCodec } from "shared/sealing/account-rows";
import { readValue } from "shared/secrets/row-codec";
import type { Vault } from "shared/secrets/vault";
import { present, readPage } from "../trpc/paging.ts";
import { once, operatorCallProcedure, operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";
import { pollPeriodSeconds, syncAccount } from "./sync.ts";
import {
  askPlatform,
  credentialsOf,
  removeTemplate,
  setHeaderMedia,
  submitTemplate,
  changeTemplate,
  createDraft,
  restoreTemplate,
  readTemplate,
} from "./write.ts";

const creating = operatorProcedure
  .input(templateInputSchema.safeExtend(clientIdMember))
  .use(once(async ({ sql, caller }, id) => ({ template: presentTemplate(await readTemplate(sql, caller.accountId, id)) })));

export const templatesRouter = router({
  create: creating.mutation(async ({ ctx, input: given }) => {
    const { clientId: _, ...input } = given;
    return { template: presentTemplate(await createDraft(ctx.sql, ctx.caller.accountId, input)) };
  }),

  check: viewerProcedure.input(uncheckedTemplateSchema).query(({ ctx, input }) => adviseTemplate(ctx, ctx.caller.accountId, input)),

  list: viewerProcedure
    .input(listTemplatesInput)
    .query(({ ctx, input }) =>
      readPage("templates", input, (page) => listTemplateRows(ctx.sql, ctx.caller.accountId, input, page), presentTemplate),
    ),

  /** The number of templates by status. */
  counts: viewerProcedure.input(noInput).query(async ({ ctx }) => ({ counts: await countTemplates(ctx.sql, ctx.caller.accountId) })),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await readTemplate(ctx.sql, ctx.caller.accountId, input.id);
    const changes = await listTemplateHistory(ctx.sql, row.id);
    // `source`: the action here (create, submit, delete), or how the platform reported the change (sync, poll, callback).
    const history = changes.map((one) => ({ ...present(one, "at", "reason", "source"), from: one.from_status, to: one.to_status }));
    return { template: presentTemplate(row), history };
  }),

  usage: viewerProcedure.input(templateUsageInput).query(async ({ ctx, input }) => {
    const from = uuidFloor(ctx.clock().getTime() - usageDays * 86_400_000);
    return { items: (await readTemplateUse(ctx.sql, ctx.caller.accountId, input.ids, from)).map(presentUse) };
  }),

  update: operatorProcedure.input(updateTemplateInput).mutation(async ({ ctx, input }) => ({
    template: presentTemplate(await changeTemplate(ctx.sql, ctx.caller.accountId, input, presentTemplate)),
  })),

  versions: viewerProcedure.input(idInput).query(async ({ ctx, input: { id } }) => {
    const { accountId } = ctx.caller;
    await readTemplate(ctx.sql, accountId, id);
    return { items: (await listVersions<TemplateContent>(ctx.sql, accountId, id)).map(presentVersion) };
  }),

  restore: operatorProcedure.input(restoreInput).mutation(async ({ ctx, input }) => ({
    template: presentTemplate(await restoreTemplate(ctx.sql, ctx.caller.accountId, input, presentTemplate)),
  })),

  submit: operatorCallProcedure.input(idInput).mutation(async ({ ctx, input }) => ({
    template: presentTemplate(await submitTemplate(ctx, ctx.caller.accountId, input.id, (sql) => ctx.record(sql, { subject: input.id }))),
  })),

  delete: operatorCallProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    await removeTemplate(ctx, accountId, input.id, async (sql) => {
      const before = await readAudited(sql, "templates.delete", accountId, input.id);
      await ctx.record(sql, { subject: input.id, changes: changesBetween(before, new Map()) });
    });
    return { id: input.id };
  }),

  setHeaderMedia: operatorCallProcedure.input(setHeaderMediaInput).mutation(async ({ ctx, input }) => {
    const record = (sql: Sql) => ctx.record(sql, { subject: input.id });
    return { template: presentTemplate(await setHeaderMedia(ctx, ctx.caller.accountId, input, record, presentTemplate)) };
  }),

  sync: operatorCallProcedure.input(noInput).mutation(async ({ ctx }) => {
    const { accountId } = ctx.caller;
    const credentials = await credentialsOf(ctx, accountId);
    const counts = await askPlatform(syncAccount(ctx, ctx.management, credentials, { accountId, source: "sync", record: ctx.record }));
    await noteTemplateSync(ctx.sql, accountId, pollPeriodSeconds);
    return counts;
  }),

  /** The time of the last sync of templates, and the reason for none since; all members are null while the account is not connected. */
  syncState: viewerProcedure.input(noInput).query(async ({ ctx }) => {
    const row = await findTemplatePoll(ctx.sql, ctx.caller.accountId);
    return { lastAt: row?.last_at?.toISOString() ?? null, nextAt: row?.due_at.toISOString() ?? null, problem: row?.problem ?? null };
  }),
});

const presentTemplate = ({ definition, ...row }: TemplateRow) => ({
  // The platform decides the category; `requestedCategory` is null for a template made elsewhere, `platformId` before the first submission.
  ...present(row, "id", "platform_id", "name", "language", "category", "requested_category", "status", "reason", "quality", "quality_at"),
  /** The category that the platform has announced; `at` is null where only its list told of it. */
  upcomingCategory: row.upcoming_category === null ? null : { category: row.upcoming_category, at: row.upcoming_at?.toISOString() ?? null },
  /** The reason; `ARCHIVED`: nothing was sent with it for a year. */
  rejectedReason: row.reason,
  slots: slotCounts(definition),
  /** The template's names of its slots, in slot order. A variable map counts them from 1. */
  slotNames: slotNames(definition),
  /** Likely mistakes that do not keep the template from being submitted. */
  warnings: [
    ...templateWarnings(definition),
    ...(row.category === "MARKETING" && row.ttl_seconds !== null ? [{ code: "ttl_of_marketing" } as const] : []),
  ].map((warning) => describeReason(warning)),
  ...presentMessage(definition),
  // `ttlSeconds`: -1 for 30 days, null for the platform's default. `source`: `AUTO_GENERATED` where the platform made it of messages without a template.
  ...present(row, "ttl_seconds", "source", "synced_at", "created_at", "updated_at"),
});

const presentMessage = ({ parameterFormat, header, body, footer, buttons, examples, authentication }: TemplateRow["definition"]) => ({
  parameterFormat,
  header,
  body,
  footer,
  buttons,
  examples,
  /** What was chosen of a template of one-time codes; null for others. */
  authentication: authentication ?? null,
});

const presentVersion = ({
  version,
  at,
  by,
  content: { definition, ttl_seconds: ttlSeconds = null, ...named },
}: VersionRow<TemplateContent>) => ({
  version,
  at: at.toISOString(),
  /** Null: the platform, or a program of an earlier version. */
  by,
  ...named,
  ttlSeconds,
  ...presentMessage(definition),
});

const usageDays = 30;

/**
 * `accepted`: the messages of the last 30 days that the platform accepted; the newest 200 of each site and event are looked at, and `more` says that there
 * are others. `tried`: the accepted ones and all that failed. Half of the read ones were read within `medianReadSeconds`.
 */
const presentUse = (row: TemplateUseRow) =>
  present(row, "template_id", "sites", "accepted", "tried", "delivered", "read", "more", "median_read_seconds");

/** Advice on mistakes that get, or may get, the template rejected or paused, with a correction where there is one. Nothing is stored. */
async function adviseTemplate(context: { sql: Sql; vault: Vault }, accountId: string, input: UncheckedTemplate) {
  const samples = await findSamples(context, accountId, input);
  const problems = checkAndMend(input, samples).map(({ level, field, reason, mend }) => {
    const clause = describeReason(reason);
    return { ...reason, level, place: field, sentence: clause.startsWith(`${field}: `) ? clause : `${field}: ${clause}`, mend };
  });
  return { problems };
}

/** Values that events had at the fields of bindings of a template of this name and language; values that may be personal are left out. */
async function findSamples({ sql, vault }: { sql: Sql; vault: Vault }, accountId: string, { name, language }: UncheckedTemplate) {
  const template = await findTemplateByName(sql, accountId, name.slice(0, 512), language.slice(0, 20));
  if (template === undefined) return {};
  const [binding] = await listBindings(sql, accountId, { templateId: template.id }, { before: null, limit: 1 });
  if (binding === undefined) return {};
  const [kind] = await findEventKinds(sql, [{ site_id: binding.site_id, name: binding.event }]);
  const rows = await readRowCodec(sql, vault, accountId);
  const samples = new Map<string, string>();
  for (const field of kind?.fields ?? []) {
    const sample = readValue(rows, field.sample, "event_kind.fields", binding.site_id, null);
    const shown = sample === null ? maskedText : maskSample({ ...field, sample }).sample;
    if (shown !== maskedText && !isBlank(shown) && shown.length <= longestSample) samples.set(field.path, shown);
  }
  const { header, body, button_url } = binding.variable_map;
  return { header: samplesOf(header, samples), body: samplesOf(body, samples), buttonUrl: samplesOf(button_url, samples) };
}

/** Longer values may be cut short. */
const longestSample = 60;
const mostSlots = 100;

const samplesOf = (slots: VariableMap["body"], samples: ReadonlyMap<string, string>): string[] =>
  Array.from({ length: mostSlots }, (_, index) => {
    const value = slots?.[String(index + 1)];
    return value?.source === "field" ? (samples.get(value.path) ?? "") : "";
  });
