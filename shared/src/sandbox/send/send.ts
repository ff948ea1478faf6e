import { setTimeout as sleep } from "node:timers/promises";
import { authenticate } from "../authenticate.ts";
import type { SandboxContext } from "../context.ts";
import { refusal, unknownObject } from "../graph-error.ts";
import { type Answer, readJson, type SandboxRequest } from "../http.ts";
import type { SandboxAccount, SandboxCallback } from "../store.ts";
import { shapeOf } from "../templates/input.ts";
import type { TemplateRecord } from "../templates/store.ts";
import { fillTemplate, type FilledMessage, plainText, type MessageContent } from "./fill.ts";
import { type Behaviour, behaviourOf, stoppedMarketing, planReports, type ReportPlan } from "./magic-numbers.ts";
import { newWamid } from "./message-writer.ts";
import { type MessageRequest, readMessageRequest } from "./request.ts";
import { statusItem } from "./status-item.ts";

/**
 * `POST /{phone number id}/messages`. Checks in the platform's order: token, sender, body, template, parameters, limits. A magic number acts
 * only after all checks pass.
 */
export async function sendMessage(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const account = authenticate(context, request);
  const { node = "" } = request.params;
  if (node !== account.phoneNumberId) throw unknownObject(node, request.method);
  const message = readMessageRequest(await readJson(request), account);
  const template = findSendable(context, account, message);
  const filled = fillTemplate(shapeOf(template), message.components);
  context.limits.countMessage(account, message.recipient.digits, context.options.now());
  if (account.refuseCode !== null) throw refusal(account.refuseCode);
  const behaviour = behaviourFor(account, message, template);
  return answerSend(context, { account, request: message, template, filled, behaviour, version: request.version });
}

function behaviourFor({ stopped }: SandboxAccount, { recipient }: MessageRequest, { category }: TemplateRecord): Behaviour {
  return category === "MARKETING" && stopped.includes(recipient.waId) ? stoppedMarketing : behaviourOf(recipient.digits);
}

function findSendable(context: SandboxContext, { wabaId }: SandboxAccount, { template, language }: MessageRequest): TemplateRecord {
  const found = context.templates.find(wabaId, template, language);
  switch (found?.status) {
    case "APPROVED":
    case "FLAGGED":
      return found;
    case "PAUSED":
      throw refusal(132015);
    case "DISABLED":
      throw refusal(132016);
    default:
      throw refusal(132001, `template name (${template}) does not exist in ${language}`);
  }
}

/** Answers a valid send as its recipient's number demands. */
async function answerSend(context: SandboxContext, acceptance: Acceptance): Promise<Answer> {
  const { behaviour, request } = acceptance;
  if (refuses(context, acceptance)) throw refusal(behaviour.code ?? 131000);
  const id = behaviour.taken ? await acceptMessage(context, acceptance) : null;
  const { hangMs, slowMs } = context.options;
  switch (behaviour.answer) {
    case "late":
    case "hang":
      await pause(context, behaviour.answer === "late" ? slowMs : hangMs);
      break;
    case "drop":
      await pause(context, hangMs);
      return "reset";
    case "reset":
      return "reset";
    case "bad_gateway":
      return { status: 502, html: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>" };
    case "no_message_id":
      return { json: { messaging_product: "whatsapp", contacts: [contactOf(request)], messages: [] } };
    case "accept":
    case "refuse":
    case "refuse_every_other":
      break;
  }
  const status = behaviour.reports === "held" ? "held_for_quality_assessment" : "accepted";
  return { json: { messaging_product: "whatsapp", contacts: [contactOf(request)], messages: [{ id, message_status: status }] } };
}

function refuses({ refusedOnce }: SandboxContext, { behaviour, request }: Acceptance): boolean {
  if (behaviour.answer !== "refuse_every_other") return behaviour.answer === "refuse";
  const { digits } = request.recipient;
  if (refusedOnce.delete(digits)) return false;
  refusedOnce.add(digits);
  return true;
}

function contactOf({ recipient }: MessageRequest) {
  return { input: recipient.input, wa_id: recipient.waId };
}

/** Waits; ends early when the sandbox stops. */
async function pause({ stopping }: SandboxContext, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal: stopping }).catch(() => undefined);
}

interface Acceptance {
  account: SandboxAccount;
  request: MessageRequest;
  template: TemplateRecord;
  filled: FilledMessage;
  behaviour: Behaviour;
  version: number | null;
}

/** Stores the message and its callbacks. Returns its id. */
async function acceptMessage(context: SandboxContext, acceptance: Acceptance): Promise<string> {
  const { account, request, behaviour } = acceptance;
  const id = newWamid(request.recipient.waId);
  const now = context.options.now();
  const plan = planReports(behaviour.reports, now, context.options);
  const content = contentOf(acceptance);
  const callbacks = callbacksOf(account.wabaId, id, content, plan, now);
  await context.messages.write({ row: { id, ...rowOf(acceptance, plan, now), content: JSON.stringify(content) }, callbacks });
  if (callbacks.length > 0) context.courier.expect(account.wabaId, Math.min(...plan.reports.map(({ dueAt }) => dueAt)));
  return id;
}

function contentOf({ request, template, filled, behaviour, version }: Acceptance): MessageContent {
  return {
    ...filled,
    template: template.name,
    language: template.language,
    category: template.category,
    components: request.rawComponents,
    text: plainText(filled),
    waId: request.recipient.waId,
    reference: request.reference,
    version,
    code: behaviour.reports === "failed" || behaviour.reports === "failed_then_delivered" ? (behaviour.code ?? null) : null,
  };
}

function rowOf({ account, request }: Acceptance, plan: ReportPlan, now: number) {
  return {
    waba_id: account.wabaId,
    phone_number_id: account.phoneNumberId,
    recipient: request.recipient.digits,
    at: new Date(now),
    sent_at: instant(plan.sentAt),
    delivered_at: instant(plan.deliveredAt),
    read_at: instant(plan.readAt),
    failed_at: instant(plan.failedAt),
  };
}

function callbacksOf(wabaId: string, id: string, content: MessageContent, plan: ReportPlan, now: number): SandboxCallback[] {
  const subject = { ...content, id, category: content.category.toLowerCase() };
  const arrival = plan.reports.find(({ status }) => status === "delivered" || status === "read")?.status;
  return plan.reports.map((report) => ({
    waba_id: wabaId,
    subject: id,
    field: "messages",
    kind: report.status,
    value: JSON.stringify(statusItem(subject, report, report.status === "sent" || report.status === arrival)),
    due_at: new Date(report.dueAt),
    created_at: new Date(now),
  }));
}

function instant(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
