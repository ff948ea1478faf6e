import { createHash } from "node:crypto";
import { errorTexts } from "../error-texts.ts";
import type { Report } from "./magic-numbers.ts";

/** The message that a status is about. */
export interface StatusSubject {
  id: string;
  waId: string;
  reference: string | null;
  /** Lower case. */
  category: string;
  /** Version of the send call, null for the newest. Statuses up to v23 name a conversation. */
  version: number | null;
  /** Error code if the message is going to fail. */
  code: number | null;
}

const lastVersionWithConversation = 23;
const daySeconds = 24 * 60 * 60;

/** One item of a callback's `statuses`. `priced` adds the price. */
export function statusItem(subject: StatusSubject, { status, at }: Report, priced: boolean) {
  const timestamp = Math.floor(at / 1000);
  return {
    id: subject.id,
    status,
    timestamp: String(timestamp),
    recipient_id: subject.waId,
    ...(status === "failed" ? {} : { recipient_user_id: userIdOf(subject.waId) }),
    ...(subject.reference === null ? {} : { biz_opaque_callback_data: subject.reference }),
    ...(status !== "failed" && subject.version !== null && subject.version <= lastVersionWithConversation
      ? { conversation: conversationOf(subject, status === "sent" ? timestamp : null) }
      : {}),
    ...(priced ? { pricing: { billable: true, pricing_model: "PMP", type: "regular", category: subject.category } } : {}),
    ...(status === "failed" ? { errors: [failureOf(subject.code ?? 131000)] } : {}),
  };
}

/** The person's id within this business. `ZZ` stands for an unknown country. */
function userIdOf(waId: string): string {
  return `ZZ.${createHash("sha256").update(waId).digest("hex").slice(0, 20)}`;
}

function conversationOf({ id, category }: StatusSubject, sentAt: number | null) {
  const conversation = { id: createHash("sha256").update(id).digest("hex").slice(0, 32), origin: { type: category } };
  return sentAt === null ? conversation : { ...conversation, expiration_timestamp: String(sentAt + daySeconds) };
}

function failureOf(code: number) {
  const text = errorTexts[code];
  const title = text?.title ?? "Something went wrong";
  return {
    code,
    title,
    message: title,
    error_data: { details: text?.details ?? title },
    href: "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
  };
}
