import type { JudgedRule } from "shared/core/conditions";
import { describeSummary, type EventSummary } from "shared/core/event-summary";
import type { KnownField } from "shared/core/fields/known";
import { countEventsInput, listEventsInput, tailEventsInput, eventFieldsInput } from "shared/core/input/log";
import { idInput, siteListInput } from "shared/core/input/values";
import { parseJson } from "shared/core/json";
import { type KnownValues, maskedText } from "shared/core/known-values";
import { hidePath, knownIn, knownOfSamples, maskPath, maskPayload, maskSample } from "shared/core/mask";
import { statusesIn } from "shared/core/message";
import type { EventTrace, TracedBinding, Unmet } from "shared/core/plan";
import { describeReason, type Reason } from "shared/core/reason";
import type { UnreadPhone } from "shared/core/resolve-recipients";
import { may, type Role } from "shared/core/role";
import { readFailure } from "shared/core/stored-failure";
import { findEventKinds, listEventKinds } from "shared/db/event-kind";
import { findEvent, listEvents, type EventRow, type EventDetailRow } from "shared/db/event/log";
import { listNotificationsOfEvents, type NotificationRow } from "shared/db/notification/log";
import { listRequestsOf } from "shared/db/requested-event";
import { explainMessage } from "shared/platform/errors/classify";
import { readEvent, readMessage, readRowCodec } from "shared/sealing/account-rows";
import { readValue } from "shared/secrets/row-codec";
import type { CallerContext } from "../context.ts";
import { whileLetIn } from "../session/sessions.ts";
import { absent } from "../trpc/errors.ts";
import { readPage, requireSite, toLogPage } from "../trpc/paging.ts";
import { shownText, shownPhone, shownValue } from "../trpc/roles.ts";
import { readerProcedure, router, viewerProcedure } from "../trpc/trpc.ts";
import { countEvents, presentEvent, presentListed, readEvents, timeOf, withParties } from "./event-list.ts";
import { presentRequest } from "./planner.ts";

export const eventsRouter = router({
  list: readerProcedure.input(listEventsInput).query(({ ctx, input }) => {
    const { role } = ctx.caller;
    return readPage(
      "events",
      input,
      async (page) => {
        await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
        const found = await readEvents(ctx, input, toLogPage(input, page));
        return { ...found, rows: await withParties(ctx, found.rows) };
      },
      (row) => presentListed(row, role),
    );
  }),

  count: readerProcedure.input(countEventsInput).query(async ({ ctx, input }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    return await countEvents(ctx, input);
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    const stored = (await findEvent(ctx.sql, accountId, input.id)) ?? absent("event");
    const rows = await readRowCodec(ctx.sql, ctx.vault, accountId);
    const row = readEvent(rows, stored);
    const found = await listNotificationsOfEvents(ctx.sql, row.site_id, [row.id], mostMessages);
    const messages = found.map((message) => readMessage(rows, message));
    const phones = may(role, "seePhones") ? [] : messages.map(({ to_phone }) => to_phone);
    const hidden = may(role, "seePhones") || row.payload === null ? null : parseJson(row.payload);
    const known = knownIn(hidden, phones);
    const trace = traceEvent(row, messages, { role, known });
    const replays = (await listRequestsOf(ctx.sql, row.site_id, row.id)).map(presentRequest);
    const [listed] = await withParties(ctx, [row]);
    const shown = listed === undefined ? absent("event") : presentListed(listed, role);
    return { event: { ...shown, payload: hidden === null ? row.payload : maskPayload(hidden, known), trace, replays } };
  }),

  tail: viewerProcedure
    .input(tailEventsInput)
    .subscription(({ ctx, input: { siteId }, signal }) =>
      whileLetIn(ctx, signal ?? ctx.stopping, (ended) => tailEvents(ctx, siteId, ended)),
    ),

  names: readerProcedure.input(siteListInput).query(({ ctx, input }) =>
    readPage(
      "event names",
      input,
      async (page) => {
        await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
        await ctx.learner.catchUp(input.siteId);
        const kinds = await listEventKinds(ctx.sql, input.siteId, page);
        return kinds.map(({ name, last_event_id: id }) => ({ id, name }));
      },
      ({ id, name }) => ({ name: shownText(name, ctx.caller.role), lastSeenAt: timeOf(id) }),
    ),
  ),

  fields: viewerProcedure.input(eventFieldsInput).query(async ({ ctx, input: { siteId, event } }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, siteId);
    await ctx.learner.catchUp(siteId);
    const [kind] = await findEventKinds(ctx.sql, [{ site_id: siteId, name: event }]);
    const rows = await readRowCodec(ctx.sql, ctx.vault, ctx.caller.accountId);
    const fields = (kind?.fields ?? []).map((field) => ({
      ...field,
      sample: readValue(rows, field.sample, "event_kind.fields", siteId, null),
    }));
    const known = knownOfSamples(fields);
    return { fields: fields.map((field) => presentField(field, ctx.caller.role, known)) };
  }),
});

/** How many stored events a tail begins with. */
const lastEvents = 20;
/** A client that does not keep up misses the oldest events beyond this. */
const mostWaiting = 1000;

/**
 * The last events, then new ones as they come, oldest first in each batch. An event comes again when it is answered, and any may come twice: clients tell by
 * the id. Ends with the signal or the server.
 */
async function* tailEvents({ sql, tail, stopping, caller }: CallerContext, siteId: string | undefined, signal: AbortSignal) {
  const { accountId, role } = caller;
  await requireSite(sql, accountId, siteId);
  let waiting: EventRow[] = [];
  let wake = (): void => undefined;
  const unwatch = tail.watch(accountId, (events) => {
    waiting = [...waiting, ...events.filter((event) => siteId === undefined || event.site_id === siteId)].slice(-mostWaiting);
    wake();
  });
  const leave = AbortSignal.any([signal, stopping]);
  leave.addEventListener("abort", () => wake());
  try {
    waiting.unshift(...(await listEvents(sql, accountId, { siteId }, { from: null, before: null, limit: lastEvents })).toReversed());
    while (!leave.aborted) {
      const batch = waiting;
      waiting = [];
      yield { events: batch.map((event) => presentEvent(event, role)) };
      while (waiting.length === 0 && !leave.aborted) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unwatch();
  }
}

/** A role that sees phones masked gets no sample that may be a phone, an address or a name. */
function presentField(field: KnownField, role: Role, known: KnownValues) {
  const lastSeenAt = timeOf(field.last);
  if (may(role, "seePhones")) return { path: field.path, type: field.type, sample: field.sample, lastSeenAt };
  const { path, type, sample, hidden = path } = maskSample(field);
  return {
    path: maskPath(hidePath(hidden, known)),
    type,
    sample: sample === null || known.hide(sample) === sample ? sample : maskedText,
    lastSeenAt,
  };
}

const mostMessages = 1000;
const noBindings: EventTrace = { bindings: [], more: 0 };

/** Explains an event's result, above all why nothing was sent. The stored trace holds only facts that the event's messages do not show; this joins the two. */
function traceEvent(event: EventDetailRow, messages: readonly NotificationRow[], { role, known }: Eyes) {
  const stored = event.trace === null ? noBindings : shownTrace(JSON.parse(event.trace) as EventTrace, { role, known });
  const summary = summaryOf(event, stored, messages, role);
  return {
    /** One or two sentences: whether something was sent, and if not, why; and the same as data. */
    summary: shownText(describeSummary(summary), role),
    summaryData: shownSummary(summary, role),
    /** The name that a shop gave to its own post; null for an event of the site's own path. */
    topic: stored.topic === undefined ? null : shownText(stored.topic, role),
    /** Only events with a valid key and signature are stored. */
    signature: "valid" as const,
    /** Requests that repeated its idempotency key and got the first answer; they sent nothing. A few seconds behind. */
    duplicates: event.replays,
    bindings: toBindings(stored.bindings, messages, role),
    /** Phones of the event that could not be read, each once. */
    phoneProblems: onceEach(
      stored.bindings.flatMap(({ phoneProblems = [] }) => shownProblems(phoneProblems, role)),
      ({ reason, value }) => `${reason} ${value}`,
    ),
    /** The number of bindings beyond those that a trace keeps. */
    moreBindings: stored.more,
  };
}

/** Who looks at an event, and what its payload tells of its people, for those who may not see it. */
interface Eyes {
  role: Role;
  known: KnownValues;
}

/** The bindings of the trace, with reasons why they did not fire. A role that sees phones masked sees no value that may be a phone, an address or a name. */
function shownTrace({ bindings, ...rest }: EventTrace, { role, known }: Eyes): EventTrace {
  const shown = bindings.map((binding) => {
    if (binding.unmet === undefined) return binding;
    const unmet = may(role, "seePhones") ? binding.unmet : maskUnmet(binding.unmet, known);
    const reason: Reason = "code" in unmet ? unmet : { code: "conditions_unmet", ...unmet };
    const { reasons, reasonCodes = [] } = binding;
    return { ...binding, unmet, reasons: [describeReason(reason), ...reasons], reasonCodes: [reason, ...reasonCodes] };
  });
  return { bindings: shown, ...rest };
}

function maskUnmet(unmet: Unmet, known: KnownValues): Unmet {
  const mask = (path: string, sample: string): string =>
    known.isIn(sample) ? maskedText : maskSample({ path, type: "string", sample }).sample;
  const maskSaw = ({ path, saw }: { path: string; saw: string | null }) => ({ saw: saw === null ? null : mask(path, saw) });
  if ("code" in unmet) return { ...unmet, ...maskSaw(unmet) };
  const rules = unmet.rules.map((rule: JudgedRule) => ({
    ...rule,
    values: rule.values.map((value) => mask(rule.path, value)),
    ...maskSaw(rule),
  }));
  return { ...unmet, rules };
}

function toBindings(stored: readonly TracedBinding[], messages: readonly NotificationRow[], role: Role) {
  const traced = new Map(stored.map((binding) => [binding.bindingId, binding]));
  const firsts = messages.filter(({ resend_of }) => resend_of === null);
  const ids = new Set([...firsts.map(({ binding_id }) => binding_id), ...traced.keys()]);
  return [...ids].map((bindingId) => {
    const own = messages.filter(({ binding_id }) => binding_id === bindingId);
    const {
      template = own[0]?.template ?? "",
      language = own[0]?.language ?? "",
      dropped = [],
      phoneProblems = [],
      reasons = [],
      reasonCodes = [],
      unmet,
    } = traced.get(bindingId) ?? {};
    return {
      bindingId,
      template,
      language,
      /** False where its conditions did not hold, or its messages' moment was past or unreadable. */
      fired: unmet === undefined,
      ...(unmet !== undefined && "match" in unmet && unmet.match === "all" && { failedRule: shownValue(failedRuleOf(unmet.rules), role) }),
      recipients: traced.get(bindingId)?.recipients ?? firsts.filter(({ binding_id }) => binding_id === bindingId).length,
      dropped: dropped.map((phone) => {
        const read = phoneProblems.find(({ value }) => value === phone);
        const problem = { code: "phone_dropped" as const, phone: shownPhone(phone, role), ...(read && { problem: read.reason }) };
        return { ...problem, reason: describeReason(problem) };
      }),
      phoneProblems: shownProblems(phoneProblems, role),
      /** The reasons why the binding sent nothing, or had no recipient. */
      reasons: reasons.map((reason) => shownText(reason, role)),
      /** The same reasons as data, in the same order; null where only the sentence is stored. */
      reasonCodes: reasons.map((_, index) => shownValue(reasonCodes[index] ?? null, role)),
      /** Each as its newest attempt. */
      messages: own.filter(({ resent_as }) => resent_as === null).map((message) => toMessage(message, role)),
    };
  });
}

const shownProblems = (problems: readonly UnreadPhone[], role: Role): UnreadPhone[] =>
  problems.map(({ value, reason }) => ({ value: shownPhone(value, role), reason }));

const onceEach = <T>(items: readonly T[], key: (item: T) => string): T[] => [...new Map(items.map((item) => [key(item), item])).values()];

const failedRuleOf = ([rule]: readonly JudgedRule[]) => rule && { path: rule.path, op: rule.op };

function toMessage(message: NotificationRow, role: Role) {
  const { id, to_phone, status, resend_of: resendOf, error_code: errorCode, error_reason } = message;
  const errorReason = error_reason && shownText(error_reason, role);
  return {
    id,
    toPhone: shownPhone(to_phone, role),
    status,
    resendOf,
    /** When a message that waits for its time is due; null while its site holds it. */
    dueAt: message.due_at && message.due_at.toISOString(),
    errorCode,
    errorReason,
    errorReasonCode: readFailure(errorCode, errorReason),
    explanation: errorCode === null ? null : explainMessage({ ...message, error_code: errorCode, error_reason: errorReason }),
  };
}

function summaryOf(event: EventRow, { bindings, more }: EventTrace, messages: readonly NotificationRow[], role: Role): EventSummary {
  const failure = messages.find(({ status, error_code, resend_of }) => status === "failed" && error_code !== null && resend_of === null);
  return {
    event: event.name,
    chat: event.chat,
    test: event.test,
    dryRun: event.dry_run,
    sent: event.recipients_sent,
    failed: event.recipients_failed,
    heldBack: bindings.some(({ unmet }) => unmet !== undefined && "code" in unmet)
      ? "moment"
      : bindings.length + more === 1
        ? "condition"
        : "conditions",
    missing: bindings.flatMap(({ reasons, reasonCodes = [], dropped }) => [
      ...reasons.map((text, index) => ({ text, code: reasonCodes[index] ?? null })),
      ...dropped.map((phone) => ({ phone: shownPhone(phone, role) })),
    ]),
    failure: failure === undefined ? null : explanationOf(failure).text,
    scheduled: messages.filter(({ status }) => status === "scheduled").length,
    dropped: statusesIn("dropped").flatMap((status) => {
      const those = messages.filter((message) => message.status === status && message.resent_as === null);
      const because = onceEach(those.map(explanationOf), ({ text }) => text);
      if (those.length === 0) return [];
      return { status, count: those.length, because: because.map(({ text, reasonCode = null }) => ({ text, code: reasonCode })) };
    }),
  };
}

function shownSummary({ missing, ...summary }: EventSummary, role: Role) {
  const shown = shownValue(summary, role);
  const cancelled = shown.dropped.find(({ status }) => status === "cancelled");
  return {
    ...shown,
    missing: missing.map((each) => ("phone" in each ? each : shownValue(each, role))),
    /** The same as in `dropped`, for callers that know these two. */
    cancelled: cancelled?.count ?? 0,
    cancelledBecause: cancelled?.because ?? [],
  };
}

const explanationOf = (message: NotificationRow) => explainMessage({ ...message, error_code: message.error_code ?? "" });
