import type { OptOutScope, OptOutSource } from "./message.ts";

/** Types of webhooks about a message. */
export const messageTypes = ["message.sent", "message.delivered", "message.read", "message.failed"] as const;
/** The type of webhooks about each of these, with more members. */
export const updatedType = "message.updated";
/** Types of webhooks about a person. */
export const personTypes = ["message.received", "customer.opted_out", "customer.opted_in"] as const;
export const webhookTypes = [...messageTypes, updatedType, ...personTypes] as const;
export type MessageType = (typeof messageTypes)[number];
export type PersonType = (typeof personTypes)[number];
export type WebhookType = (typeof webhookTypes)[number];

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The reason why an endpoint is off although nobody has switched it off: it answered 410, or nothing has arrived for days. */
export type DisabledBecause = "gone" | "failing";

/** The body of a webhook about a message, as the specification has it: these members and no others. */
export interface MessageBody {
  type: MessageType;
  event_id: string;
  site_id: string;
  binding_id: string;
  template: string;
  /** E.164. */
  to_phone: string;
  /** The platform's id; empty if the message never got there. */
  wa_message_id: string;
  status: string;
  /** ISO 8601, UTC. */
  occurred_at: string;
}

export const messageBody = (type: MessageType, message: Omit<MessageBody, "type" | "status">): MessageBody => ({
  type,
  event_id: message.event_id,
  site_id: message.site_id,
  binding_id: message.binding_id,
  template: message.template,
  to_phone: message.to_phone,
  wa_message_id: message.wa_message_id,
  status: type.slice("message.".length),
  occurred_at: message.occurred_at,
});

/** The body of `message.updated`: the same members, and these as they are when it is posted. */
export interface UpdatedBody extends Omit<MessageBody, "type"> {
  type: typeof updatedType;
  notification_id: string;
  /** Our id of the order that the event named. */
  order_id: string | null;
  order_number: string | null;
  /** Null unless the status is `failed`. */
  error_code: string | null;
  error_reason: string | null;
  /** From 1. */
  attempt: number;
}

/** How a delivery of `message.updated` is stored, so that an endpoint gets one for each status: the type with the status behind it. */
const storedUpdate = /^message\.updated(\.\w+)$/;

/** The type of the status that a stored update tells; null: it is none. */
export function statusTypeOf(stored: string): MessageType | null {
  const [, status] = storedUpdate.exec(stored) ?? [];
  return status === undefined ? null : (`message${status}` as MessageType);
}

const isMessageType = (type: WebhookType): type is MessageType => (messageTypes as readonly string[]).includes(type);

/** The body of a webhook about a person's text or wish. Times are ISO 8601 in UTC, phones E.164. */
export type PersonBody =
  | {
      type: "message.received";
      from: string;
      /** The text; empty if the message has none. */
      text: string;
      /** The platform's name of the type, such as `text` or `button`. */
      message_type: string;
      received_at: string;
      /** The message that it answers. */
      context_wa_message_id: string | null;
    }
  | { type: "customer.opted_out" | "customer.opted_in"; phone: string; scope: OptOutScope; source: OptOutSource; occurred_at: string };

const noId = "00000000-0000-0000-0000-000000000000";
const nobody = "+15550100000";

/** The body of a test webhook, with no event and a phone that nobody has. */
export function exampleBody(type: WebhookType, siteId: string, at: Date): MessageBody | UpdatedBody | PersonBody {
  const time = at.toISOString();
  if (isMessageType(type)) {
    const ids = { event_id: noId, binding_id: noId, wa_message_id: type === "message.failed" ? "" : "wamid.TEST" };
    return messageBody(type, { ...ids, site_id: siteId, template: "test", to_phone: nobody, occurred_at: time });
  }
  if (type === updatedType) {
    const more = { notification_id: noId, order_id: noId, order_number: "1001", error_code: null, error_reason: null, attempt: 1 };
    return { ...(exampleBody("message.sent", siteId, at) as MessageBody), type, ...more };
  }
  if (type === "message.received")
    return { type, from: nobody, text: "Hello", message_type: "text", received_at: time, context_wa_message_id: null };
  return { type, phone: nobody, scope: "all", source: "keyword", occurred_at: time };
}

/** The seconds from a failed attempt to the next: eight attempts within about 28 hours. */
const retrySeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const;
/** The most time that an endpoint gets that asks for more. */
const longestWaitSeconds = 86_400;

/**
 * When a delivery is tried again, in seconds; null once it is given up.
 * @param failures attempts in a row that have failed, this one included
 * @param random from 0 to 1; spreads deliveries that failed together
 */
export function nextTry(failures: number, retryAfterSeconds: number | null, random: number): number | null {
  const pause = retrySeconds[failures - 1];
  if (pause === undefined) return null;
  return Math.max(pause * (1 + random / 5), Math.min(retryAfterSeconds ?? 0, longestWaitSeconds));
}
