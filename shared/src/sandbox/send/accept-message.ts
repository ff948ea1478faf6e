import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import type { SandboxCallback } from "../../db/tables/sandbox/callback.ts";
import type { SandboxContext } from "../context.ts";
import type { TemplateRecord } from "../templates/record.ts";
import { type FilledMessage, plainText } from "./fill-template.ts";
import type { Behaviour } from "./magic-numbers.ts";
import type { MessageContent } from "./message-content.ts";
import type { MessageRequest } from "./message-request.ts";
import { planReports, type ReportPlan } from "./report-plan.ts";
import { statusItem } from "./status-item.ts";
import { newWamid } from "./wamid.ts";

export interface Acceptance {
  account: SandboxAccount;
  request: MessageRequest;
  template: TemplateRecord;
  filled: FilledMessage;
  behaviour: Behaviour;
  version: number | null;
}

/** Takes a message: from here on it is on its way to the phone, and its callbacks will be told. Answers its id. */
export async function acceptMessage(context: SandboxContext, acceptance: Acceptance): Promise<string> {
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
