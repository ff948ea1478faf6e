import type { NotificationResult } from "shared/db/event/settle";

/** A message whose row says `sending`. */
export interface OutgoingMessage {
  id: string;
  eventId: string;
  template: string;
  language: string;
  toPhone: string;
  /** JSON. */
  components: string;
  attempt: number;
  /** Set for messages of a binding that limits how many leave for one phone. */
  throttle?: ({ bindingId: string } & Throttle) | null | undefined;
}

/** How many messages of a binding may leave for one phone in a span of time. */
interface Throttle {
  max: number;
  seconds: number;
}

/** A message as its row has it, with its readable values. */
interface SendableRow extends Pick<OutgoingMessage, "id" | "template" | "language" | "components" | "attempt"> {
  event_id: string;
  binding_id: string;
  to_phone: string;
  throttle: Throttle | null | undefined;
}

export const toOutgoing = ({ event_id, binding_id, to_phone, throttle, ...row }: SendableRow): OutgoingMessage => ({
  id: row.id,
  eventId: event_id,
  template: row.template,
  language: row.language,
  toPhone: to_phone,
  components: row.components,
  attempt: row.attempt,
  throttle: throttle && { bindingId: binding_id, ...throttle },
});

/** A failure that the platform has not reported: it was not asked, or has not answered. It yields to any later callback. */
export function localFailure(
  siteId: string,
  message: Pick<OutgoingMessage, "id" | "eventId" | "attempt">,
  code: string,
  reason: string,
): NotificationResult {
  return {
    site_id: siteId,
    event_id: message.eventId,
    id: message.id,
    attempt: message.attempt,
    status: "failed",
    local: true,
    wa_message_id: null,
    error_code: code,
    error_reason: reason,
    error_detail: null,
  };
}
