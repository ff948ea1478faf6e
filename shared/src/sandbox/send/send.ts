import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "../../core/template/platform-limits.ts";
import { refusalOfAccount } from "../account-state.ts";
import { invalidParameter, missingParameter, notOneOf, refusal } from "../graph-error.ts";
import { type Answer, type Handler, type JsonObject, type SandboxContext, authenticate, readJson, requireNode, success } from "../http.ts";
import type { SandboxAccount, SandboxCallback } from "../store.ts";
import { generateTemplate } from "../templates/generated.ts";
import { shapeOf } from "../templates/input.ts";
import type { TemplateRecord } from "../templates/store.ts";
import { type FilledMessage, plainText, type MessageContent } from "./content.ts";
import { fillTemplate } from "./fill.ts";
import { checkDirectSend, type FreeForm } from "./free-form.ts";
import { endHold } from "./hold.ts";
import { type Behaviour, behaviourOf, lateFailure, planReports, type ReportPlan, sentOnly } from "./magic-numbers.ts";
import { newWamid } from "./message-writer.ts";
import { type Recipient, readRecipient } from "./recipient.ts";
import { checkProduct, type GivenTemplate, readMessageRequest, type TemplateInput } from "./request.ts";
import { statusCallback } from "./status-item.ts";

type Endpoint = "messages" | "marketing_messages";

/** `POST /{phone number id}/messages`: sends a message, or shows an incoming one as read. */
export const sendMessage = sendTo("messages");

/** `POST /{phone number id}/marketing_messages`: sends a template message of category MARKETING. */
export const sendMarketing = sendTo("marketing_messages");

/** Checks in the platform's order: token, sender, body, template, parameters, limits. A magic number acts after all checks. Throws the platform's refusal. */
function sendTo(endpoint: Endpoint): Handler {
  return async (context, request) => {
    const account = authenticate(context, request);
    requireNode(request, account.phoneNumberId);
    const body = await readJson(request);
    if (body["status"] !== undefined) return markIncoming(body);
    checkProduct(body);
    const recipient = readRecipient(context, body, account);
    if (endpoint === "marketing_messages") checkMarketing(body);
    const { message, reference } = readMessageRequest(body);
    const [now, { version }] = [context.options.now(), request];
    const parts =
      message.type === "free"
        ? await fitFreeForm(context, account, recipient, message)
        : fitTemplate(context, account, recipient, message, endpoint);
    context.limits.countMessage(account, recipient.digits, now);
    const refused = refusalOfAccount(account.state, account.refuseCode, now);
    if (refused !== null) throw refused;
    const behaviour = await behaviourFor(context, account, recipient, parts.category);
    return answerSend(context, { account, recipient, reference, ...parts, raw: message.raw, endpoint, behaviour, version });
  };
}

/** Shows an incoming message as read. Incoming messages are not kept, so any id will do. */
function markIncoming({ status, message_id: id }: JsonObject): Answer {
  if (status !== "read") throw notOneOf("status", ["READ"], status);
  if (id === undefined) throw missingParameter("message_id");
  if (typeof id !== "string" || !id.startsWith("wamid.")) throw invalidParameter("Param message_id must be the id of a message.");
  return success;
}

function checkMarketing({ type, product_policy: policy = "CLOUD_API_FALLBACK", message_activity_sharing: sharing = false }: JsonObject) {
  if (type !== "template") throw invalidParameter("Message must be a template message.");
  const policies = ["CLOUD_API_FALLBACK", "STRICT"];
  if (!policies.includes(String(policy))) throw notOneOf("product_policy", policies, policy);
  if (typeof sharing !== "boolean") throw invalidParameter("Param message_activity_sharing must be a boolean.");
}

/** The part of a message that a template or its own text gives. */
interface Parts {
  template: string;
  language: string;
  /** Upper case; `SERVICE` of a free-form message. */
  category: string;
  filled: FilledMessage;
  /** The template whose pacing holds the message, and until when. */
  hold: { templateId: string; until: number } | null;
}

function fitTemplate(context: SandboxContext, account: SandboxAccount, recipient: Recipient, input: TemplateInput, endpoint: Endpoint) {
  const known = input.given === undefined ? findSendable(context, account, input) : null;
  if (known !== null) checkRoute(account, known, recipient, endpoint);
  const record = known ?? (input.given as GivenTemplate);
  const { category } = record;
  const { id: templateId, heldUntil } = known ?? { id: "", heldUntil: null };
  const hold = heldUntil !== null && heldUntil > context.options.now() ? { templateId, until: heldUntil } : null;
  const filled = fillTemplate(shapeOf(record), input.components);
  const code = input.components.find(({ type }) => type === "body")?.parameters[0]?.fields["text"];
  if (category === "AUTHENTICATION" && String(code).length > limits.code)
    throw refusal(131009, `body: The code has more than ${limits.code} characters`);
  return { template: input.template, language: input.language, category, filled, hold };
}

/** Throws the platform's refusal of a template that the endpoint or the kind of address does not take. */
function checkRoute({ state }: SandboxAccount, template: TemplateRecord, { byUserId }: Recipient, endpoint: Endpoint): void {
  const isMarketing = template.category === "MARKETING";
  if (endpoint === "messages") {
    if (isMarketing && !state.marketingOnMessages) throw refusal(131063);
    if (template.hasMaxPrice) throw refusal(131061);
  } else {
    // A template that was MARKETING when it was last looked at is told apart from one that never was.
    if (!isMarketing) throw refusal(template.previousCategory === "MARKETING" ? 134100 : 131055);
    if (!state.marketingMessages) throw refusal(134102);
    if (template.isSyncing) throw refusal(134101);
  }
  if (byUserId && (template.hasMaxPrice || template.category === "AUTHENTICATION")) throw refusal(131062);
}

const windowMs = 24 * 60 * 60 * 1000;

/** A message without a template: within a day of the person's last one, or by Direct Send. */
async function fitFreeForm(context: SandboxContext, account: SandboxAccount, recipient: Recipient, message: FreeForm): Promise<Parts> {
  const now = context.options.now();
  const { filled, direct } = message;
  if (direct !== null) {
    const category = checkDirectSend(message, account, now);
    if (category === "AUTHENTICATION" && recipient.byUserId) throw refusal(131062);
    const { name, language } = await generateTemplate(context, account, { filled, category, kind: direct.kind });
    return { template: name, language, category, filled, hold: null };
  }
  const { wroteAt } = recipient.person;
  if (recipient.reach === "somebody" && (wroteAt === null || now - wroteAt >= windowMs)) throw refusal(131047);
  return { template: "", language: "", category: "SERVICE", filled, hold: null };
}

async function behaviourFor(context: SandboxContext, account: SandboxAccount, recipient: Recipient, category: string): Promise<Behaviour> {
  const { waId, person, reach, digits } = recipient;
  if (category === "UTILITY" && !(await context.utilityCap(account, context.options.now()))) {
    if (account.state.utilityCapBy === "answer") throw refusal(131064);
    return lateFailure(131064);
  }
  if (reach === "nobody") return lateFailure(131026);
  if (person.blocked) return lateFailure(130403);
  if (person.blocksBusiness) return sentOnly;
  return category === "MARKETING" && account.stopped.includes(waId) ? lateFailure(131050) : behaviourOf(digits);
}

function findSendable(context: SandboxContext, { wabaId }: SandboxAccount, { template, language }: TemplateInput): TemplateRecord {
  const found = context.templates.find(wabaId, template, language);
  if (found?.status === "APPROVED" || found?.status === "FLAGGED") return found;
  if (found?.status === "PAUSED") throw refusal(132015);
  if (found?.status === "DISABLED") throw refusal(132016);
  throw refusal(132001, `template name (${template}) does not exist in ${language}`);
}

/** Answers a valid send as its recipient's number demands. */
async function answerSend(context: SandboxContext, acceptance: Acceptance): Promise<Answer> {
  const { behaviour, recipient } = acceptance;
  if (refuses(context, acceptance)) throw refusal(behaviour.code ?? 131000);
  const id = recipient.reach === "lost" ? newWamid(recipient.waId) : behaviour.taken ? await acceptMessage(context, acceptance) : null;
  const { hangMs, slowMs } = context.options;
  const { answer } = behaviour;
  if (answer === "late") await pause(context, slowMs);
  if (answer === "hang" || answer === "drop") await pause(context, hangMs);
  if (answer === "drop" || answer === "reset") return "reset";
  if (answer === "bad_gateway")
    return { status: 502, html: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>" };
  if (answer === "no_message_id") return { json: { messaging_product: "whatsapp", contacts: [contactOf(recipient)], messages: [] } };
  const status = acceptance.hold !== null || behaviour.reports === "held" ? "held_for_quality_assessment" : "accepted";
  const message = { id, ...(acceptance.template !== "" && { message_status: status }) };
  return { json: { messaging_product: "whatsapp", contacts: [contactOf(recipient)], messages: [message] } };
}

function refuses({ refusedOnce }: SandboxContext, { behaviour, recipient: { digits } }: Acceptance): boolean {
  if (behaviour.answer !== "refuse_every_other") return behaviour.answer === "refuse";
  if (refusedOnce.delete(digits)) return false;
  refusedOnce.add(digits);
  return true;
}

const contactOf = ({ input, byUserId, userId, waId }: Recipient) => (byUserId ? { input, user_id: userId } : { input, wa_id: waId });

/** Waits; ends early when the sandbox stops. */
const pause = async ({ stopping }: SandboxContext, ms: number): Promise<void> =>
  sleep(ms, undefined, { signal: stopping }).catch(() => undefined);

interface Acceptance extends Parts {
  account: SandboxAccount;
  recipient: Recipient;
  reference: string | null;
  /** The components, or the type's member, as sent. */
  raw: unknown;
  endpoint: Endpoint;
  behaviour: Behaviour;
  version: number | null;
}

/** Stores the message and its callbacks. Returns its id. */
async function acceptMessage(context: SandboxContext, acceptance: Acceptance): Promise<string> {
  const { account, recipient, behaviour, hold } = acceptance;
  const id = newWamid(recipient.waId);
  const now = context.options.now();
  const plan = planReports(behaviour.reports, hold?.until ?? now, context.options);
  const content = contentOf(acceptance, now);
  const callbacks = callbacksOf(account.wabaId, id, content, plan, now);
  await context.writeMessage({ row: { id, ...rowOf(acceptance, plan, now), content: JSON.stringify(content) }, callbacks });
  const template = hold === null ? undefined : context.templates.byId(hold.templateId);
  // A hold that ended meanwhile did not see this message.
  if (hold !== null && template !== undefined && template.heldUntil !== hold.until)
    await endHold(context, { ...template, heldUntil: hold.until }, template.status === "PAUSED" ? "failed" : "released");
  if (callbacks.length > 0) context.courier.expect(account.wabaId, Math.min(...plan.reports.map(({ dueAt }) => dueAt)));
  return id;
}

function contentOf(acceptance: Acceptance, now: number): MessageContent {
  const { recipient, template, language, category, filled, raw, reference, behaviour, version } = acceptance;
  const { waId, username, phoneVisible } = recipient.person;
  return {
    ...filled,
    template,
    language,
    category,
    components: raw,
    text: plainText(filled),
    waId: recipient.waId,
    to: { person: { waId, username, phoneVisible }, userId: recipient.userId, byUserId: recipient.byUserId },
    price: priceOf(acceptance, now),
    reference,
    version,
    code: behaviour.reports === "failed" || behaviour.reports === "failed_then_delivered" ? (behaviour.code ?? null) : null,
  };
}

/** Countries in which codes from abroad have a price of their own. */
const internationalCountries = ["AE", "EG", "ID", "IN", "MY", "NG", "PK", "SA", "ZA"];

function priceOf({ account, recipient, category, endpoint }: Acceptance, now: number) {
  const { price } = account.state;
  const { freeUntil } = recipient.person;
  const free = category === "SERVICE" ? "free_customer_service" : "regular";
  const type = freeUntil !== null && freeUntil > now ? "free_entry_point" : free;
  const name = endpoint === "marketing_messages" ? "marketing_lite" : category.toLowerCase();
  const isInternational = category === "AUTHENTICATION" && internationalCountries.includes(recipient.userId.slice(0, 2));
  const usual = isInternational ? "authentication_international" : name;
  return { type: price?.type ?? type, category: price?.category ?? usual };
}

const rowOf = ({ account, recipient, hold }: Acceptance, plan: ReportPlan, now: number) => ({
  waba_id: account.wabaId,
  phone_number_id: account.phoneNumberId,
  recipient: recipient.digits,
  at: new Date(now),
  sent_at: instant(plan.sentAt),
  delivered_at: instant(plan.deliveredAt),
  read_at: instant(plan.readAt),
  failed_at: instant(plan.failedAt),
  held_by: hold?.templateId ?? null,
});

function callbacksOf(wabaId: string, id: string, content: MessageContent, plan: ReportPlan, now: number): SandboxCallback[] {
  const arrival = plan.reports.find(({ status }) => status === "delivered" || status === "read")?.status;
  return plan.reports.map((report) => {
    const priced = report.status === "sent" || report.status === arrival;
    return statusCallback(wabaId, { ...content, id }, report, { now: new Date(now), priced });
  });
}

const instant = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
