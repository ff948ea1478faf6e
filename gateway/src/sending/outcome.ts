import { printJson, type JsonValue } from "shared/core/json";
import { describeReason } from "shared/core/reason";
import { storedText } from "shared/core/wording";
import type { HeldMessage, NotificationResult } from "shared/db/event/settle";
import type { TakenMessage } from "shared/db/waiting/take";
import type { ErrorClass } from "shared/platform/errors/error-class";
import { type Hold, holdOf, numberLimit, prolonged, spamCode } from "shared/platform/errors/waits";
import type { SendResult } from "shared/platform/send";
import type { SiteConfig } from "../sites/sites.ts";

/** A message whose row says `sending`, as the row has it, with its readable values. */
export type OutgoingMessage = Pick<
  TakenMessage,
  "id" | "event_id" | "attempt" | "binding_id" | "template" | "language" | "to_phone" | "components" | "marketing" | "throttle"
>;

type Failing = Pick<OutgoingMessage, "id" | "event_id" | "attempt">;

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
    return {
      ...localFailure(siteId, message, result.kind, describeReason({ code: "deadline", cause: result.lastError })),
      errorClass: "transient",
    };
  if (result.kind !== "accepted" && result.kind !== "refused") return localFailure(siteId, message, result.kind, result.reason);
  const { id, event_id, attempt } = message;
  const refused = result.kind === "refused" ? result : null;
  return {
    site_id: siteId,
    event_id,
    id,
    attempt,
    status: refused === null ? "sent" : "failed",
    is_held: result.kind === "accepted" ? result.isHeld : undefined,
    local: false,
    wa_message_id: result.kind === "accepted" ? result.waMessageId : null,
    error_code: refused && refused.code,
    error_reason: refused && refused.reason,
    error_detail: refused && printJson((refused.detail ?? null) as JsonValue),
    errorClass: refused && refused.class,
    hold: refused && holdOf(refused.code),
  };
}

/** A failure that the platform has not reported: it was not asked, or has not answered. It yields to any later callback. */
export function localFailure(siteId: string, { id, event_id, attempt }: Failing, code: string, reason: string): NotificationResult {
  const [site_id, status, error_code, error_reason] = [siteId, "failed" as const, code, reason];
  return { site_id, event_id, id, attempt, status, local: true, wa_message_id: null, error_code, error_reason, error_detail: null };
}

/** The codes of messages that were not tried, and what their readers can do. */
const reasons = {
  account_stopped: storedText("WhatsApp refuses this account now. See the reason under Settings › WhatsApp. Then resend."),
  interrupted: storedText("WhatsApp is no longer connected. Connect it under Settings › WhatsApp. Then resend."),
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

/** Hands over some messages of a wave (`next`), and answers a result of their own for the others; in the wave's order. */
export async function handSome(
  site: SiteConfig,
  wave: readonly OutgoingMessage[],
  some: readonly OutgoingMessage[],
  limits: SendLimits,
  next: Dispatch,
  resultOf: (other: OutgoingMessage) => HandedResult,
): Promise<HandedResult[]> {
  const handed = new Map((some.length > 0 ? await next(site, some, limits) : []).map((result) => [result.id, result]));
  return wave.map((message) => handed.get(message.id) ?? resultOf(message));
}

/** The columns of a waiting message that do not follow from its result. */
type Row = Omit<HeldMessage, "held_for" | "seconds">;

/**
 * The results of messages of an event whose caller gets its answer now: those that WhatsApp takes later wait in the queue (`held`), and count as failed for
 * the answer alone. Where the site or the account wishes none of that, they fail.
 */
export function keepHeld<Message extends { id: string }>(
  site: SiteConfig,
  handed: readonly HandedResult[],
  messages: readonly Message[],
  rowOf: (message: Message) => Row,
) {
  const held: HeldMessage[] = [];
  const results = handed.map((result): HandedResult => {
    const { hold } = result;
    const message = hold && messages.find(({ id }) => id === result.id);
    if (!message || !site.retryAfterAnswer || site.retryHours === 0 || hold.seconds > site.retryHours * 3600) return result;
    held.push({
      ...rowOf(message),
      held_for: hold.isLimited === true ? numberLimit : hold.code,
      seconds: prolonged(hold.seconds, Math.random()),
    });
    return { ...result, status: "queued", local: true, error_code: hold.code, error_reason: null, error_detail: null };
  });
  return { results, held: held.length === 0 ? undefined : held };
}
