import { createHash } from "node:crypto";
import { daySeconds } from "../../core/durations.ts";
import { errorTexts } from "../graph-error.ts";
import { contactOf } from "../people.ts";
import type { SandboxCallback } from "../store.ts";
import type { MessageContent } from "./content.ts";
import type { Report } from "./magic-numbers.ts";

/** The message that a status is about. Messages from before have no `to` and no `price`. */
type StatusSubject = Pick<MessageContent, "waId" | "reference" | "category" | "version" | "code" | "to" | "price"> & { id: string };

const lastVersionWithConversation = 23;

/** The callback of a message's status; see `statusItem`. `now`: when it is queued. */
export const statusCallback = (
  waba_id: string,
  subject: StatusSubject,
  report: Report,
  { now, priced = false, details }: { now: Date; priced?: boolean; details?: string },
): SandboxCallback => ({
  waba_id,
  subject: subject.id,
  field: "messages",
  kind: report.status,
  value: JSON.stringify(statusItem(subject, report, priced, details)),
  due_at: new Date(report.dueAt),
  created_at: now,
});

/** The callback of a status that comes at another time than was foreseen. `toldAt`: from the time that it told of, in seconds, the one that it tells of now. */
export function atOtherTime(callback: SandboxCallback, due_at: Date, toldAt: (foreseen: number) => number): SandboxCallback {
  const item = JSON.parse(callback.value) as { timestamp: string };
  return { ...callback, due_at, value: JSON.stringify({ ...item, timestamp: String(toldAt(Number(item.timestamp))) }) };
}

/**
 * One item of a callback's `statuses`, with the person as its `contact`, which the courier puts beside the items. `priced` adds the price; `details`
 * replace the error's own.
 */
function statusItem(subject: StatusSubject, { status, at }: Report, priced: boolean, details: string | undefined) {
  const { to, reference, version, price } = subject;
  const { type, category } = price ?? { type: "regular", category: subject.category.toLowerCase() };
  const timestamp = Math.floor(at / 1000);
  const failed = status === "failed";
  return {
    id: subject.id,
    status,
    timestamp: String(timestamp),
    ...(to?.byUserId === true && !to.person.phoneVisible ? {} : { recipient_id: subject.waId }),
    ...(to === undefined || (failed && !to.byUserId) ? {} : { recipient_user_id: to.userId }),
    ...(to === undefined || failed
      ? {}
      : { contact: contactOf(to.person, to.userId, { named: status !== "sent", reached: !to.byUserId }) }),
    ...(reference === null ? {} : { biz_opaque_callback_data: reference }),
    ...(!failed && version !== null && version <= lastVersionWithConversation
      ? { conversation: conversationOf(subject, status === "sent" ? timestamp : null) }
      : {}),
    ...(priced ? { pricing: { billable: type === "regular", pricing_model: "PMP", type, category } } : {}),
    ...(failed ? { errors: [failureOf(subject.code ?? 131000, details)] } : {}),
  };
}

function conversationOf({ id, category }: StatusSubject, sentAt: number | null) {
  const conversation = { id: createHash("sha256").update(id).digest("hex").slice(0, 32), origin: { type: category.toLowerCase() } };
  return sentAt === null ? conversation : { ...conversation, expiration_timestamp: String(sentAt + daySeconds) };
}

function failureOf(code: number, details?: string) {
  const text = errorTexts[code];
  const title = text?.title ?? "Something went wrong";
  return {
    code,
    title,
    message: title,
    error_data: { details: details ?? text?.details ?? title },
    href: "https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes",
  };
}
