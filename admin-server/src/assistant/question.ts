import type { AssistantQuestion } from "shared/core/input/assistant";
import type { EventTrace, TracedBinding } from "shared/core/plan";
import { toInput } from "shared/core/template/draft";
import { findAccount } from "shared/db/account";
import { findEventKinds } from "shared/db/event-kind";
import { type EventDetailRow, findEvent, listEvents } from "shared/db/event/log";
import { findNotification, listNotifications, listNotificationsOfEvents, type NotificationRow } from "shared/db/notification/log";
import { findPlatformAccount } from "shared/db/platform-account";
import { listProblems, type ProblemRow } from "shared/db/problem/problem";
import { findSite } from "shared/db/site";
import { findTemplate } from "shared/db/template";
import { explain, readStoredError } from "shared/platform/errors/classify";
import { readEvent, readMessage, readRowCodec } from "shared/sealing/account-rows";
import { readValue } from "shared/secrets/row-codec";
import type { AdminContext } from "../context.ts";
import { presentWords } from "../problems/look.ts";
import { lookNow } from "../problems/watch.ts";
import { conflict, absent, notFound } from "../trpc/errors.ts";
import { describeMasked, maskContacts, maskSentence, plainText, safeName } from "./data.ts";
import { type AssistantRequest, bindingRequest, draftRequest, explainRequest, type InputOf, translateRequest } from "./request.ts";

export type QuestionContext = Pick<AdminContext, "sql" | "vault" | "learner" | "clock" | "config" | "log" | "stopping">;

/** The question as it is sent to the provider. Changes nothing. @throws TRPCError NOT_FOUND, CONFLICT */
export async function readQuestion(context: QuestionContext, accountId: string, question: AssistantQuestion): Promise<AssistantRequest> {
  const { kind, input } = question;
  if (kind === "draftTemplate") return draftRequest(input);
  if (kind === "translateTemplate") return await readTranslation(context, accountId, input);
  if (kind === "proposeBinding") return await readBinding(context, accountId, input);
  return await readFailure(context, accountId, input);
}

async function readTranslation({ sql }: QuestionContext, accountId: string, { templateId, language }: InputOf<"translateTemplate">) {
  const row = (await findTemplate(sql, accountId, templateId)) ?? absent("template");
  const source = toInput(row);
  if (source === null)
    throw conflict("The template was created elsewhere and has parts that cannot be edited here: translate it in WhatsApp Manager");
  if (source.category === "AUTHENTICATION") throw conflict("WhatsApp writes one-time codes in each language itself: add the language");
  if (source.language === language) throw conflict("The template is already in this language: choose another one");
  return translateRequest(source, language);
}

async function readBinding(context: QuestionContext, accountId: string, { siteId, event, templateId }: InputOf<"proposeBinding">) {
  const { sql, vault, learner } = context;
  if ((await findSite(sql, accountId, siteId)) === undefined) throw notFound("site");
  const template = (await findTemplate(sql, accountId, templateId)) ?? absent("template");
  await learner.catchUp(siteId);
  const [kind] = await findEventKinds(sql, [{ site_id: siteId, name: event }]);
  const [rows, isSealed] = [await readRowCodec(sql, vault, accountId), await keepsSealed(context, accountId)];
  const fields = (kind?.fields ?? []).map(({ path, type, sample }) => ({
    path,
    type,
    sample: isSealed ? null : readValue(rows, sample, "event_kind.fields", siteId, null),
  }));
  return bindingRequest({ event, definition: template.definition, fields }, !isSealed);
}

/** Whether the account encrypts customers' data: then not even a description of how a value looks may leave. */
const keepsSealed = async ({ sql }: QuestionContext, accountId: string): Promise<boolean> =>
  (await findAccount(sql, accountId))?.encrypt_payloads ?? true;

const mostMessages = 20;
const mostEvents = 20;

async function readFailure(context: QuestionContext, accountId: string, input: InputOf<"explain">): Promise<AssistantRequest> {
  const platform = await findPlatformAccount(context.sql, accountId);
  const whatsApp = {
    isConnected: platform !== undefined,
    problem:
      platform?.stopped_code == null
        ? null
        : { code: platform.stopped_code, meaning: explain({ code: platform.stopped_code, subcode: null }) },
  };
  const about = "siteId" in input ? await readSite(context, accountId, input.siteId) : await readOneEvent(context, accountId, input);
  return explainRequest({ ...about, whatsApp }, input.turns);
}

async function readOneEvent(context: QuestionContext, accountId: string, input: { eventId: string } | { notificationId: string }) {
  const { sql, vault } = context;
  const message = "notificationId" in input ? await findNotification(sql, accountId, input.notificationId) : undefined;
  if ("notificationId" in input && message === undefined) throw notFound("message");
  const id = "eventId" in input ? input.eventId : (message?.event_id ?? "");
  const stored = (await findEvent(sql, accountId, id)) ?? absent("event");
  const rows = await readRowCodec(sql, vault, accountId);
  const isSealed = await keepsSealed(context, accountId);
  const found = message === undefined ? await listNotificationsOfEvents(sql, stored.site_id, [id], mostMessages) : [message];
  const shown = found.filter(({ id: each, resent_as }) => resent_as === null || each === message?.id);
  return {
    event: describeEvent(readEvent(rows, stored), isSealed),
    messages: shown.map((each) => describeMessage(readMessage(rows, each), isSealed)),
  };
}

async function readSite(context: QuestionContext, accountId: string, siteId: string) {
  const { sql, vault } = context;
  const site = (await findSite(sql, accountId, siteId)) ?? absent("site");
  await lookNow(context, accountId);
  const open = await listProblems(sql, accountId, { state: "open" }, { before: null, limit: mostOpen });
  const ofSite = open.filter(({ site_id }) => site_id === null || site_id === siteId);
  const rows = await readRowCodec(sql, vault, accountId);
  const isSealed = await keepsSealed(context, accountId);
  const page = { from: null, before: null };
  const events = await listEvents(sql, accountId, { siteId }, { ...page, limit: mostEvents });
  const failed = await listNotifications(sql, accountId, { siteId, status: "failed" }, { ...page, limit: mostMessages });
  return {
    site: { enabled: site.enabled, holdsMessages: site.hold_messages, source: site.source_type },
    problems: ofSite.slice(0, mostProblems).map((row) => {
      // As a viewer sees them.
      const { title, advice } = presentWords(withoutName(row), "viewer");
      const plain = (text: string) => maskContacts(plainText(text, longestSentence));
      return { kind: row.kind, sentence: plain(title), action: plain(advice), count: row.count };
    }),
    lastEvents: events.map(({ name, test, dry_run: dryRun, chat: outcome }) => ({ name: safeName(name), test, dryRun, outcome })),
    lastFailedMessages: failed.map((message) => describeMessage(readMessage(rows, message), isSealed)),
  };
}

/** A site's name may be a person's. */
function withoutName(row: ProblemRow): ProblemRow {
  const named = row.kind === "requests_refused" || row.kind === "site_silent" || row.kind === "secret_unreadable" ? "name" : "site";
  return named in row.detail ? { ...row, detail: { ...row.detail, [named]: "this site" } } : row;
}

const mostOpen = 200;
const mostProblems = 20;
const longestSentence = 500;

function describeEvent(row: EventDetailRow, isSealed: boolean) {
  const trace = row.trace === null ? { bindings: [], more: 0 } : (JSON.parse(row.trace) as EventTrace);
  return {
    name: safeName(row.name),
    test: row.test,
    dryRun: row.dry_run,
    outcome: row.chat,
    bindingsRun: row.bindings_run,
    accepted: row.recipients_sent,
    failed: row.recipients_failed,
    waiting: row.recipients_scheduled,
    bindings: trace.bindings.slice(0, mostEvents).map((binding) => describeBinding(binding, isSealed)),
    moreBindings: trace.more,
  };
}

function describeBinding(
  { template, language, recipients, dropped, phoneProblems = [], reasons, reasonCodes = [], unmet }: TracedBinding,
  isSealed: boolean,
) {
  const why = unmet === undefined ? [] : ["code" in unmet ? unmet : { code: "conditions_unmet" as const, ...unmet }];
  return {
    template: safeName(template),
    language,
    recipients,
    droppedPhones: dropped.length,
    phoneProblems: phoneProblems.map(({ reason }) => reason),
    reasons: [
      ...reasons.flatMap((text, at) => {
        const reason = reasonCodes[at];
        if (reason != null) return describeMasked(reason);
        return isSealed ? [] : maskSentence(text);
      }),
      ...why.map(describeMasked),
    ],
  };
}

/** The message without its phone and content. */
function describeMessage(message: NotificationRow, isSealed: boolean) {
  const { error_code: code, error_reason: reason, error_detail: detail } = message;
  const { subcode, title, details } = readStoredError(detail);
  return {
    template: safeName(message.template),
    language: message.language,
    status: message.status,
    triedAgain: message.tries?.length ?? 0,
    ...(code !== null && {
      error: {
        code: plainText(code, 40),
        meaning: explain({ code, subcode }),
        ...(!isSealed && { words: [reason, title, details].flatMap((text) => (text === null ? [] : maskSentence(text))) }),
      },
    }),
  };
}
