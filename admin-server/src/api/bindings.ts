import { isDeepStrictEqual } from "node:util";
import { bindingProblems, mapSlots } from "shared/core/binding";
import { compileConditions, type Conditions, judgeRules } from "shared/core/conditions";
import { isTestEvent, outcome } from "shared/core/event";
import {
  changeManyBindingsInput,
  createBindingInput,
  listBindingsInput,
  planBindingsInput,
  previewBindingInput,
  updateBindingInput,
} from "shared/core/input/bindings";
import { clientIdMember, idInput, restoreInput } from "shared/core/input/values";
import { type BindingToPlan, judgeConditions, type Plan, planEvent, type PlanInput } from "shared/core/plan";
import { describeReason, type Reason } from "shared/core/reason";
import { may, type Role } from "shared/core/role";
import { compileSchedule } from "shared/core/schedule/due";
import { flattenSchedule } from "shared/core/schedule/merge";
import { longCode, renderText } from "shared/core/template/message";
import { findAccount } from "shared/db/account";
import { type BindingRow, listBindings } from "shared/db/binding";
import { newId } from "shared/db/ids";
import { type BindingContent, listVersions, type VersionRow } from "shared/db/object-version";
import { findOptedOut } from "shared/db/opt-out";
import { findPlatformAccount } from "shared/db/platform-account";
import { findSite, type SiteRow } from "shared/db/site";
import { listActivePhones } from "shared/db/site-recipient";
import type { Sql } from "shared/db/statement";
import { countryOf, normalizePhone } from "shared/normalize-phone";
import type { z } from "zod";
import type { CallerContext } from "../context.ts";
import { recordOperation } from "../operations/begin.ts";
import { planInTurn } from "../session/turns.ts";
import { notFound } from "../trpc/errors.ts";
import { present, readPage } from "../trpc/paging.ts";
import { requireProofForPhone, requireProofOfMany, shownPhone, shownValue } from "../trpc/roles.ts";
import { once, operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";
import {
  addBinding,
  changeBinding,
  changeBindings,
  findTemplateFor,
  readBinding,
  readSchedule,
  readTemplate,
  lockBinding,
  removeBinding,
} from "./binding-changes.ts";
import { planPast } from "./binding-plan.ts";

const creating = operatorProcedure
  .input(createBindingInput.extend(clientIdMember))
  .use(once(async ({ sql, caller }, id) => ({ binding: presentBinding(await readBinding(sql, caller.accountId, id), caller.role) })));

export const bindingsRouter = router({
  create: creating.mutation(async ({ ctx, input }) => {
    await requireProofForPhone(ctx.sql, ctx.caller, phoneOf(input.recipient));
    const row = await addBinding(ctx.sql, ctx.caller.accountId, input);
    return { binding: presentBinding(row, ctx.caller.role) };
  }),

  list: viewerProcedure.input(listBindingsInput).query(({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    return readPage(
      "bindings",
      input,
      async (page) => {
        if (input.siteId !== undefined && (await findSite(ctx.sql, accountId, input.siteId)) === undefined) throw notFound("site");
        return listBindings(ctx.sql, accountId, input, page);
      },
      (row) => presentBinding(row, role),
    );
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    return { binding: presentBinding(await readBinding(ctx.sql, ctx.caller.accountId, input.id), ctx.caller.role) };
  }),

  update: operatorProcedure.input(updateBindingInput).mutation(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    await requireProofForPhone(ctx.sql, ctx.caller, input.recipient && phoneOf(input.recipient));
    return { binding: presentBinding(await changeBinding(ctx.sql, accountId, input, (row) => presentBinding(row, role)), role) };
  }),

  versions: viewerProcedure.input(idInput).query(async ({ ctx, input: { id } }) => {
    const { accountId, role } = ctx.caller;
    await readBinding(ctx.sql, accountId, id);
    return { items: (await listVersions<BindingContent>(ctx.sql, accountId, id)).map((row) => presentVersion(row, role)) };
  }),

  restore: operatorProcedure.input(restoreInput).mutation(async ({ ctx, input: { id, version } }) => {
    const { accountId, role } = ctx.caller;
    const { variable_map: variableMap, template_id: templateId, schedule, ...said } = await readVersion(ctx.sql, accountId, id, version);
    await requireProofForPhone(ctx.sql, ctx.caller, phoneOf(said.recipient));
    const input = { id, variableMap, templateId, ...said, ...flattenSchedule(schedule) };
    return { binding: presentBinding(await changeBinding(ctx.sql, accountId, input, (row) => presentBinding(row, role)), role) };
  }),

  delete: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    await removeBinding(ctx.sql, await lockBinding(ctx.sql, ctx.caller.accountId, input.id));
    return { id: input.id };
  }),

  changeMany: operatorProcedure.input(changeManyBindingsInput).mutation(async ({ ctx, input }) => {
    if (input.action === "delete") requireProofOfMany(ctx.caller, new Set(input.ids).size);
    const { results, changed } = await changeBindings(ctx, ctx.caller.accountId, input);
    const counts = { changed, skipped: results.length - changed };
    const id = await recordOperation(ctx.sql, ctx.caller, { kind: "change_bindings", total: results.length }, counts);
    return { operation: { id }, results };
  }),

  plan: viewerProcedure
    .meta({ ownTransactions: true })
    .input(planBindingsInput)
    .mutation(async ({ ctx, input }) => {
      ctx.recordNothing();
      return await planInTurn(ctx.caller.accountId, () => planPast(ctx, ctx.caller, input));
    }),

  preview: viewerProcedure.input(previewBindingInput).query(({ ctx, input }) => previewBinding(ctx, input)),
});

/** @throws NOT_FOUND */
async function readVersion(sql: Sql, accountId: string, id: string, version: number): Promise<BindingContent> {
  await readBinding(sql, accountId, id);
  const [row] = await listVersions<BindingContent>(sql, accountId, id, version);
  if (row === undefined) throw notFound("version");
  return row.content;
}

/** The phone of a recipient who is always the same. */
const phoneOf = (recipient: BindingRow["recipient"]): string | null => ("phone" in recipient ? recipient.phone : null);

/**
 * Plans the payload as a gateway would now, with this binding as the event's only one; the message is shown also where the binding would not fire. `problemCodes`: everything that
 * prevents sending, each reason once, as data.
 */
async function previewBinding({ sql, vault, clock, caller }: CallerContext, input: z.output<typeof previewBindingInput>) {
  const { accountId, role } = caller;
  const now = clock();
  const [account, site, platform] = await Promise.all([
    findAccount(sql, accountId),
    findSite(sql, accountId, input.siteId),
    findPlatformAccount(sql, accountId),
  ]);
  if (account === undefined || site === undefined) throw notFound("site");
  const saved = await findSaved(sql, accountId, input);
  const template =
    saved === undefined ? await findTemplateFor(sql, accountId, input) : await readTemplate(sql, accountId, input.templateId);
  const boundShape = saved?.template_shape ?? null;
  const { payload, variableMap, recipient, conditions = null } = input;
  const { timezone } = account;
  const schedule = readSchedule(input);
  const timing = schedule && compileSchedule(schedule, timezone)(payload, now);
  const dueProblem = timing !== null && "code" in timing ? timing : null;
  const { dueAt, expiresAt } = timing === null || "code" in timing ? { dueAt: null, expiresAt: null } : timing;
  const event = { payload, test: isTestEvent(input.event, payload), ...(await phonesOf(sql, site)) };
  const binding = { id: newId(), recipient, variableMap, template: { ...template, boundShape } };
  const { plan, unmet, conditionRules } = planShown(binding, conditions, {
    ...event,
    account: { timezone, configured: platform !== undefined },
    now,
  });
  const { sent, unresolved, unsendable } = mapSlots(variableMap, template.definition, { payload, now, timezone });
  const problems = bindingProblems(variableMap, template.definition, template.status, boundShape);
  // The answer would tell a role that sees masked phones who has opted out.
  const asked = plan.previews[0]?.recipients.map((phone) => ({ phone, marketing: isMarketing(template) })) ?? [];
  const found = may(role, "seePhones") ? await findOptedOut(sql, vault, accountId, asked) : null;
  const optedOut = found && new Set([...found].map(({ phone }) => phone));
  return {
    ...presentPlan(plan, { optedOut, isScheduled: dueAt !== null }, role),
    ...((unmet !== null || dueProblem !== null) && { chat: "skipped_conditions" as const }),
    conditionsHold: unmet === null,
    /** When the messages would leave; null: at once, or not at all. */
    dueAt: dueAt && dueAt.toISOString(),
    /** When the messages expire; null: never. */
    expiresAt: expiresAt && expiresAt.toISOString(),
    /** The reason why their time is past or cannot be read, as data; else null. */
    dueProblem,
    /** For each rule, in order: whether it holds, and the value that it saw, cut short; null where that is missing. */
    conditionRules,
    unresolved: [...unresolved, ...unsendable.filter(({ code }) => code === "url_not_fitting"), longCode(template.definition, sent)]
      .filter((slot) => slot !== null)
      .map((slot) => describeReason(slot)),
    text: renderText(template.definition, sent),
    problems: problems.map((problem) => describeReason(problem)),
    problemCodes: [
      ...(dueProblem === null ? [] : [dueProblem]),
      ...(plan.traces[0]?.reasons ?? []).filter(({ code }) => !toldInFull.has(code)),
      ...unresolved.filter(({ code }) => code !== "value_not_mapped"),
      ...problems,
    ],
  };
}

/** Plans a binding's message also where its conditions are not met; recipients that they leave out are left out. */
function planShown(binding: BindingToPlan, conditions: Conditions | null, event: Omit<PlanInput, "bindings">) {
  const compiled = conditions && compileConditions(conditions);
  const { unmet, excluded } = judgeConditions({ ...binding, conditions: compiled }, event);
  const plan = planEvent({ ...event, bindings: [{ ...binding, conditions: unmet === null ? compiled : null }] });
  const seen = compiled?.ofCountry === undefined ? undefined : (excluded[0] ?? plan.previews[0]?.recipients[0]);
  const country = seen === undefined ? null : countryOf(seen);
  return { plan, unmet, conditionRules: conditions === null ? [] : judgeRules(conditions, event.payload, country) };
}

/** The phones that a plan takes recipients from. */
const phonesOf = async (sql: Sql, site: SiteRow) => ({
  site: {
    testPhone: site.test_phone,
    activePhones: await listActivePhones(sql, site.id),
    country: site.country,
    normalizePhones: site.normalize_phones !== "off",
  },
  readPhone: normalizePhone,
  countryOf,
});

/** Failures that the binding's problems and unresolved slots list one by one. */
const toldInFull: ReadonlySet<Reason["code"]> = new Set([
  "template_not_approved",
  "template_not_sendable",
  "template_changed",
  "slot_unresolved",
]);

const isMarketing = ({ category }: { category: string }): boolean => category.toUpperCase() === "MARKETING";

/** A stored binding with exactly this map. The template may have changed since, which the preview shows instead of refusing. */
async function findSaved(sql: Sql, accountId: string, input: z.output<typeof previewBindingInput>): Promise<BindingRow | undefined> {
  const { siteId, event, templateId, variableMap } = input;
  const rows = await listBindings(sql, accountId, { siteId, event }, { before: null, limit: 200 });
  return rows.find((row) => row.template_id === templateId && isDeepStrictEqual(row.variable_map, variableMap));
}

function presentBinding(row: BindingRow, role: Role) {
  const problems = bindingProblems(row.variable_map, row.definition, row.status, row.template_shape);
  if (row.equal_id !== null) problems.push({ code: "equal_binding", bindingId: row.equal_id });
  return {
    ...present(row, "id", "site_id", "event", "template_id", "template", "language"),
    templateStatus: row.status,
    ...presentRule(row, role),
    /** The reasons why the binding cannot send yet: as sentences and, in the same order, as data. */
    problems: problems.map((problem) => describeReason(problem)),
    problemCodes: problems,
    /** When it fired last, if its conditions have held back every event of the last 30 days; else null. */
    idleSince: row.idle_since?.toISOString() ?? null,
    ...present(row, "created_at", "updated_at"),
  };
}

/** What a binding does with its event, as it is and as a version had it. */
const presentRule = ({ recipient, variable_map, conditions, schedule, enabled }: BindingContent, role: Role) => ({
  recipient: "phone" in recipient ? { ...recipient, phone: shownPhone(recipient.phone, role) } : recipient,
  variableMap: shownValue(variable_map, role),
  conditions: shownValue(conditions, role),
  ...flattenSchedule(shownValue(schedule, role)),
  enabled,
});

const presentVersion = ({ version, at, by, content }: VersionRow<BindingContent>, role: Role) => ({
  version,
  at: at.toISOString(),
  /** Null: a program of an earlier version. */
  by,
  event: content.event,
  templateId: content.template_id,
  ...presentRule(content, role),
});

/**
 * `dropped`: phones that are not E.164; `phoneProblems`: the faults of the payload's phones. `optedOut`: recipients whose message would fail because they
 * opted out; null for a role that sees phones masked. `chat`: the answer to a live event if the platform accepted every message; the result of waiting
 * messages is not known yet.
 */
function presentPlan(
  { skip, previews: [preview], traces: [trace], messages }: Plan,
  { optedOut, isScheduled }: { optedOut: ReadonlySet<string> | null; isScheduled: boolean },
  role: Role,
) {
  if (preview === undefined || trace === undefined) throw new Error("A plan has a preview for each binding, and here is none");
  const sendable = messages.filter(({ failure, toPhone }) => failure === null && optedOut?.has(toPhone) !== true).length;
  const failed = messages.length - sendable;
  return {
    recipients: preview.recipients.map((phone) => shownPhone(phone, role)),
    dropped: trace.dropped.map((phone) => shownPhone(phone, role)),
    phoneProblems: (trace.phoneProblems ?? []).map(({ value, reason }) => ({ value: shownPhone(value, role), reason })),
    optedOut: optedOut && preview.recipients.filter((phone) => optedOut.has(phone)),
    slots: preview.slots,
    resolved: preview.resolved,
    reasons: trace.reasons.map((reason) => describeReason(reason)),
    chat: skip ?? (isScheduled && failed === 0 ? "scheduled" : outcome(isScheduled ? 0 : sendable, failed)),
  };
}
