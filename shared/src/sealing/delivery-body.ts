import { isE164 } from "../core/phone.ts";
import { type MessageType, messageBody, statusTypeOf, updatedType } from "../core/webhook.ts";
import type { DeliveryContent } from "../db/webhook/take.ts";
import { readValue, type RowCodec } from "../secrets/row-codec.ts";

/** The JSON to post, the same for every attempt; null once its content is gone, or its person is erased. */
export function bodyOf(delivery: DeliveryContent, rows: RowCodec): string | null {
  const { id, type, site_id, event_id, notification_id, occurred_at, binding_id, template, to_phone, wa_message_id } = delivery;
  if (delivery.payload !== null) return readValue(rows, delivery.payload, "webhook_delivery.payload", id, null);
  if (notification_id === null || event_id === null || binding_id === null || template === null) return null;
  const phone = readValue(rows, to_phone, "notification.to_phone", notification_id, null);
  // The phone of an erased person is masked.
  if (phone === null || !isE164(phone)) return null;
  const status = statusTypeOf(type);
  const body = messageBody(status ?? (type as MessageType), {
    event_id,
    site_id,
    binding_id,
    template,
    to_phone: phone,
    wa_message_id: readValue(rows, wa_message_id, "notification.wa_message_id", notification_id, null) ?? "",
    occurred_at: occurred_at.toISOString(),
  });
  return JSON.stringify(status === null ? body : { ...body, type: updatedType, ...moreOf(status, delivery, notification_id, rows) });
}

function moreOf(status: MessageType, { attempt, order_id, order_number, ...of }: DeliveryContent, notification_id: string, rows: RowCodec) {
  const failed = status === "message.failed" ? of : null;
  return {
    notification_id,
    order_id,
    order_number: order_id === null ? null : readValue(rows, order_number, "customer_order.number", order_id, null),
    error_code: failed && failed.error_code,
    error_reason: failed && readValue(rows, failed.error_reason, "notification.error_reason", notification_id, null),
    attempt: attempt ?? 1,
  };
}
