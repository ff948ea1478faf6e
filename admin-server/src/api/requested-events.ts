import { outcome } from "shared/core/event";
import { examplePayload } from "shared/core/example";
import { replayEventInput, sendTestInput } from "shared/core/input/log";
import { idInput } from "shared/core/input/values";
import { type JsonObject, printJson } from "shared/core/json";
import { isDropped } from "shared/core/message";
import { personOf } from "shared/core/phone";
import { optedOut } from "shared/core/plan";
import { describeReason } from "shared/core/reason";
import { type RequestProblem, sayProblem } from "shared/core/requested";
import { say } from "shared/core/wording";
import { findBinding } from "shared/db/binding";
import { findEvent, listEvents } from "shared/db/event/log";
import { readStoredEvents } from "shared/db/event/stored";
import { newId } from "shared/db/ids";
import { listNotificationsOfEvents } from "shared/db/notification/log";
import {
  countLately,
  findRequest,
  insertRequest,
  listRequestsOf,
  type NewRequest,
  type RequestedEventRow,
  type RequestKind,
} from "shared/db/requested-event";
import { findSite, type SiteRow } from "shared/db/site";
import type { Sql } from "shared/db/statement";
import { findTemplate } from "shared/db/template";
import { readMessage, readRowCodec, readToReplay } from "shared/sealing/account-rows";
import type { RowCodec } from "shared/secrets/row-codec";
import type { z } from "zod";
import { beginOperation } from "../operations/begin.ts";
import { conflict, absent, notFound, Refusal, tooManyOfMinute } from "../trpc/errors.ts";
import { requireProofForPhone } from "../trpc/roles.ts";
import { operatorProcedure, router } from "../trpc/trpc.ts";
import { createPlanner, presentProblem, presentRequest, type RequestContext } from "./planner.ts";

/** Events that people ask for; a gateway takes them within a second. */
export const requestedEventsRouter = router({
  /** Previews what a replay would send now. */
  replayPreview: operatorProcedure.input(idInput).query(({ ctx, input }) => previewReplay(ctx, ctx.caller.accountId, input.id)),

  replay: operatorProcedure.input(replayEventInput).mutation(async ({ ctx, input: { id, requestId } }) => {
    const { accountId } = ctx.caller;
    const { problem, siteId, original } = await findOriginal(ctx, accountId, id);
    const ask = { ...noTest, account_id: accountId, site_id: siteId, kind: "replay" as const, replay_of: original, request_id: requestId };
    const request = await askOnce(ctx.sql, ask, problem, newId(), async (id) => {
      const asked = { kind: "replay" as const, id, site_id: siteId, subject_id: original, total: 1, asked_at: new Date() };
      await beginOperation(ctx.sql, ctx.caller, asked);
    });
    return { operation: { id: request.id }, replay: presentRequest(request) };
  }),

  sendTest: operatorProcedure.input(sendTestInput).mutation(async ({ ctx, input }) => {
    await requireProofForPhone(ctx.sql, ctx.caller, input.phone);
    return { test: presentRequest(await askForTest(ctx, ctx.caller.accountId, input)) };
  }),

  /** The state of a request; its event has its id. */
  requested: operatorProcedure.input(idInput).query(async ({ ctx, input }) => ({
    request: presentRequest((await findRequest(ctx.sql, ctx.caller.accountId, input.id)) ?? absent("request")),
  })),
});

const noTest = { binding_id: null, template_id: null, name: null, payload: null, phone: null };

/** The most requests of each kind in an account's minute. */
const mostOfMinute: Record<RequestKind, number> = { replay: 60, test: 20, backfill: 0 };

/** Makes a request once: a repeated call gets the first one's answer, even if it would be refused by now. @throws CONFLICT, TOO_MANY_REQUESTS */
async function askOnce(
  sql: Sql,
  request: Omit<NewRequest, "id" | "operation_id">,
  problem: RequestProblem | null,
  id = newId(),
  begin?: (id: string) => Promise<void>,
): Promise<RequestedEventRow> {
  const { kind, replay_of, account_id } = request;
  const made = await insertRequest(sql, { ...request, id, ...(kind === "replay" && { operation_id: id }) });
  if (!made.isNew) {
    if (made.kind === kind && made.replay_of === replay_of) return made;
    throw conflict("This requestId was used for something else: make a new one");
  }
  // The refusal rolls the request back.
  if (problem !== null) throw new Refusal("CONFLICT", sayProblem(problem));
  const what = kind === "test" ? say("test messages") : say("replays");
  if ((await countLately(sql, account_id, kind)) > mostOfMinute[kind]) throw tooManyOfMinute(what, mostOfMinute[kind]);
  await begin?.(id);
  return made;
}

/** The event, or the one that it runs once more, and the reason why it cannot be run now. @throws NOT_FOUND */
async function findOriginal({ sql, vault }: Pick<RequestContext, "sql" | "vault">, accountId: string, id: string) {
  const row = (await findEvent(sql, accountId, id)) ?? absent("event");
  const { site_id: siteId } = row;
  const original = row.replay_of ?? row.id;
  const rows = await readRowCodec(sql, vault, accountId);
  const [stored] = await readStoredEvents(sql, siteId, [original]);
  const event = readToReplay(rows, stored);
  const site = await findSite(sql, accountId, siteId);
  const ofEvent: RequestProblem | null = typeof event === "string" ? event : null;
  const problem = site === undefined ? "site_deleted" : site.enabled ? ofEvent : "site_disabled";
  return { problem, siteId, original, event, rows };
}

/** What a replay that cannot be run would send. */
const nothingSent = { chat: null, isHeld: false, messages: [], repeats: 0, reasons: [], reasonCodes: [] };

/** The most earlier messages that a replay is compared with. */
const mostCompared = 2_000;

async function previewReplay(context: RequestContext, accountId: string, id: string) {
  const { sql } = context;
  const { problem, siteId, original, event, rows } = await findOriginal(context, accountId, id);
  const planner = problem === null ? await createPlanner(context, accountId, siteId) : null;
  if (planner === null || typeof event === "string") return { problem: presentProblem(problem ?? "site_deleted"), ...nothingSent };
  const plan = planner.plan(event, planner.bindingsOf(event.name));
  const refused = await planner.optedOut(plan);
  const sent = await sentBefore(sql, rows, siteId, original);
  const messages = plan.messages.map((message) => {
    const { bindingId, template, language, toPhone, timing } = message;
    const failure = refused.has(message) ? optedOut : message.failure;
    return {
      bindingId,
      template,
      language,
      toPhone,
      dueAt: timing?.dueAt?.toISOString() ?? null,
      failure: failure && { code: failure.code, reason: describeReason(failure) },
      /** The failure as data. */
      failureCode: failure,
      /** Whether the person has such a message of this event already. */
      isRepeat: sent.has(`${bindingId} ${personOf(toPhone)}`),
    };
  });
  const failed = messages.filter(({ failure }) => failure !== null).length;
  const reasons = new Map(plan.traces.flatMap((trace) => trace.reasons.map((reason) => [describeReason(reason), reason] as const)));
  return {
    problem: null,
    /** The event's answer if WhatsApp accepted every message. */
    chat: plan.skip ?? outcome(messages.length - failed, failed),
    /** True while the site pauses its messages: they wait. */
    isHeld: planner.site.holdMessages,
    messages,
    repeats: messages.filter(({ failure, isRepeat }) => failure === null && isRepeat).length,
    /** The reasons why bindings would send nothing, each once. */
    reasons: [...reasons.keys()],
    /** The same as data. */
    reasonCodes: [...reasons.values()],
  };
}

/** The bindings and people of the messages that were sent for an event and for its repeats. */
async function sentBefore(sql: Sql, rows: RowCodec, siteId: string, original: string): Promise<Set<string>> {
  const replays = await listRequestsOf(sql, siteId, original);
  const ids = [original, ...replays.map(({ id }) => id)];
  const found = await listNotificationsOfEvents(sql, siteId, ids, mostCompared);
  const counting = found.filter(({ status }) => status !== "failed" && !isDropped(status));
  return new Set(counting.map((message) => `${message.binding_id} ${personOf(readMessage(rows, message).to_phone)}`));
}

/** A test of a template alone is no event of the site's. */
const testEvent = "test";

/** @throws NOT_FOUND, CONFLICT, TOO_MANY_REQUESTS */
async function askForTest({ sql, vault }: Pick<RequestContext, "sql" | "vault">, accountId: string, input: z.output<typeof sendTestInput>) {
  const { site, event, binding_id, template_id } = await findTested(sql, accountId, input);
  const rows = await readRowCodec(sql, vault, accountId);
  const payload = template_id === null ? (input.payload ?? (await newestPayload(sql, rows, accountId, site, event))) : (input.values ?? {});
  const id = newId();
  const request = {
    account_id: accountId,
    site_id: site.id,
    kind: "test" as const,
    request_id: input.requestId,
    replay_of: null,
    binding_id,
    template_id,
    name: event,
    payload: rows.seal(printJson(payload as JsonObject), "requested_event.payload", id),
    phone: rows.seal(input.phone ?? null, "requested_event.phone", id),
  };
  const problem = !site.enabled ? "site_disabled" : input.phone === undefined && site.test_phone === null ? "no_test_phone" : null;
  return await askOnce(sql, request, problem, id);
}

async function findTested(sql: Sql, accountId: string, input: z.output<typeof sendTestInput>) {
  const binding = "bindingId" in input ? ((await findBinding(sql, accountId, input.bindingId)) ?? absent("binding")) : null;
  const site = (await findSite(sql, accountId, "siteId" in input ? input.siteId : (binding?.site_id ?? ""))) ?? absent("site");
  if ("templateId" in input && (await findTemplate(sql, accountId, input.templateId)) === undefined) throw notFound("template");
  return {
    site,
    event: "event" in input ? input.event : (binding?.event ?? testEvent),
    binding_id: binding?.id ?? null,
    template_id: "templateId" in input ? input.templateId : null,
  };
}

/** The payload of the site's newest event of that name if it can be read, else that of an example. */
async function newestPayload(sql: Sql, rows: RowCodec, accountId: string, site: SiteRow, name: string): Promise<object> {
  const [newest] = await listEvents(sql, accountId, { siteId: site.id, name, dryRun: false }, { from: null, before: null, limit: 1 });
  const [stored] = await readStoredEvents(sql, site.id, newest === undefined ? [] : [newest.id]);
  const event = readToReplay(rows, stored);
  return typeof event === "string" ? examplePayload : event.payload;
}
