import { printJson, type JsonValue } from "shared/core/json";
import { storedText } from "shared/core/wording";
import type { NotificationResult } from "shared/db/event/settle";
import type { ErrorClass } from "shared/platform/errors/error-class";
import { type Hold, holdOf, spamCode } from "shared/platform/errors/waits";
import type { SendResult } from "shared/platform/send";
import type { SiteConfig } from "../sites/sites.ts";

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
  /** Whether its template is marketing. */
  marketing?: boolean | undefined;
  /** Set for messages of a binding that limits how many leave for one phone. */
  throttle?: ({ bindingId: string } & Throttle) | null | undefined;
}

/** How many messages of a binding may leave for one phone in a span of time. */
interface Throttle {
  max: number;
  seconds: number;
}

/** A message as its row has it, with its readable values. */
interface SendableRow extends Pick<OutgoingMessage, "id" | "template" | "language" | "components" | "attempt" | "marketing"> {
  event_id: string;
  binding_id: string;
  to_phone: string;
  throttle: Throttle | null | undefined;
}

export const toOutgoing = (row: SendableRow): OutgoingMessage => ({
  id: row.id,
  eventId: row.event_id,
  template: row.template,
  language: row.language,
  toPhone: row.to_phone,
  components: row.components,
  attempt: row.attempt,
  marketing: row.marketing,
  throttle: row.throttle && { bindingId: row.binding_id, ...row.throttle },
});

export interface HandedResult extends NotificationResult {
  /** The class of a refusal; `transient` also where the platform could not be reached. Null otherwise. */
  errorClass?: ErrorClass | null | undefined;
  /** How the message waits, if it may leave later. */
  hold?: Hold | null | undefined;
  /** True if the message was not tried as the database did not answer: it may be sent as if nothing had happened. */
  isUntried?: boolean | undefined;
}

/**
 * Hands one wave over; answers each message's result, in order. Never throws for the platform's sake. Nothing is handed over after `startBy`, which
 * must lie within the lease: a process that was suspended must not send after a take-over.
 */
export type Dispatch = (site: SiteConfig, wave: readonly OutgoingMessage[], limits: SendLimits) => Promise<HandedResult[]>;

/** Monotonic ms: no attempt starts after `startBy`, and one that is under way at `cutAt` is in doubt. */
export interface SendLimits {
  startBy: number;
  cutAt: number;
  /** True for messages of the queue: refusals are tried again later, and requests of events that somebody waits for go first. */
  fromQueue?: boolean | undefined;
  /** Called before messages may leave: from then on only their results tell whether they did. */
  onBegin?: ((wave: readonly OutgoingMessage[]) => void) | undefined;
}

/** What the platform said of a message. */
export function toResult(siteId: string, message: OutgoingMessage, result: SendResult): HandedResult {
  if (result.kind === "deadline" && result.lastError !== undefined)
    return { ...localFailure(siteId, message, result.kind, `${result.reason} (${result.lastError})`), errorClass: "transient" };
  if (result.kind !== "accepted" && result.kind !== "refused") return localFailure(siteId, message, result.kind, result.reason);
  const refused = result.kind === "refused" ? result : null;
  const hold = refused && holdOf(refused.code);
  return {
    site_id: siteId,
    event_id: message.eventId,
    id: message.id,
    attempt: message.attempt,
    status: refused ? "failed" : "sent",
    ...(result.kind === "accepted" && result.isHeld && { is_held: true }),
    local: false,
    wa_message_id: result.kind === "accepted" ? result.waMessageId : null,
    error_code: refused && refused.code,
    error_reason: refused && refused.reason,
    error_detail: refused && printJson((refused.detail ?? null) as JsonValue),
    errorClass: refused && refused.class,
    ...(hold && { hold }),
  };
}

type Failing = Pick<OutgoingMessage, "id" | "eventId" | "attempt">;

/** A failure that the platform has not reported: it was not asked, or has not answered. It yields to any later callback. */
export function localFailure(siteId: string, message: Failing, code: string, reason: string): NotificationResult {
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

/** The codes of messages that were not tried, and what their readers can do. */
const reasons = {
  account_stopped: storedText("WhatsApp refuses this account now. See the reason under Settings, Platform, then resend."),
  interrupted: storedText("WhatsApp is no longer connected. Connect it under Settings, Platform, then resend."),
  [spamCode]: storedText("WhatsApp limits the number as possible spam, and took none of its messages in time. Resend it later."),
  throttled: storedText("The phone already got as many of this binding's messages as the binding allows in that time."),
  deadline: storedText("The database did not answer in time, so this message was not sent. Resend it."),
};

export const notTried = (siteId: string, message: Failing, code: keyof typeof reasons): NotificationResult =>
  localFailure(siteId, message, code, reasons[code]);

/** The reason of a message that was being sent when its gateway stopped. */
export const interruptedReason = storedText(
  "The gateway stopped while this message was being sent, and WhatsApp has not reported whether it was sent. Resend it if it did not arrive.",
);

/** True also when it is unknown whether the message left. */
export const hasLeft = (result: HandedResult | undefined): boolean =>
  result !== undefined && (result.status === "sent" || result.error_code === "in_doubt" || result.error_code === "unexpected_answer");
