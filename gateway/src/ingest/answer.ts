import { outcome } from "shared/core/event";
import type { Plan, PlannedMessage } from "shared/core/plan";
import type { AnswerRow } from "shared/db/event/answer";
import type { AuthenticEvent } from "./authenticate.ts";

/** A response: the edge adds nothing but its own headers. */
export interface Answer {
  status: number;
  body: string;
  headers?: Record<string, string> | undefined;
  /** Null when nothing was stored. */
  eventId: string | null;
}

/** The answer where there is no event to take. */
export const nothing: Answer = { status: 200, body: "", eventId: null };

/** The start of a request's deadlines. */
export interface Times {
  /** Monotonic ms. */
  readonly startedAt: number;
  /** Called with the event's id once it is stored. */
  readonly onStored?: ((eventId: string) => void) | undefined;
}

/** Takes the event that `read` makes of a request to its answer, anew while its site's configuration keeps changing; an answer of `read` is returned unchanged. */
export type Take = (read: () => Promise<AuthenticEvent | Answer>, times: Times) => Promise<Answer>;

type AnsweredEvent = Pick<
  AnswerRow,
  "event_id" | "name" | "order_id" | "bindings_run" | "recipients_sent" | "recipients_failed" | "recipients_scheduled"
>;

/** A live event's answer, from its row alone: a duplicate gets the same bytes from any gateway without their being stored. A shop gets a shorter one. */
export function composeAnswer(event: AnsweredEvent, chat: string, toShop: boolean): Answer {
  const { event_id: eventId } = event;
  if (toShop) return { status: 200, body: JSON.stringify({ ok: true, event_id: eventId, event: event.name, chat }), eventId };
  // Nothing is counted yet when the answer is given before anything is sent.
  const isEarly = chat === "accepted";
  const body = JSON.stringify({
    ok: true,
    event: event.name,
    event_id: eventId,
    order_id: event.order_id,
    chat,
    bindings_run: event.bindings_run,
    recipients_sent: isEarly ? 0 : event.recipients_sent,
    recipients_failed: isEarly ? 0 : event.recipients_failed,
    ...(event.recipients_scheduled > 0 && !isEarly && { recipients_scheduled: event.recipients_scheduled }),
  });
  return isEarly ? { status: 202, body, headers: { "Preference-Applied": "respond-async" }, eventId } : { status: 200, body, eventId };
}

interface DryRun {
  delivery: { id: string; name: string; outcome: string | null; bindingsRun: number };
  plan: Pick<Plan, "previews">;
}

export const composeDryRunAnswer = ({ delivery, plan }: DryRun): string =>
  JSON.stringify({
    ok: true,
    event: delivery.name,
    event_id: delivery.id,
    chat: delivery.outcome,
    bindings_run: delivery.bindingsRun,
    dry_run: true,
    previews: plan.previews,
  });

/** A message that goes to the platform, as opposed to one that is only logged as failed. */
export const isSendable = (message: PlannedMessage): boolean => message.failure === null;

/** The parts of an event that decide when its messages leave. */
interface Departure {
  /** The caller does not wait for the platform. */
  queued: boolean;
  site: { holdMessages: boolean };
}

/** A message that goes to the platform, but not with its event: the queue sends it. */
export const waits = (message: PlannedMessage, { queued, site }: Departure): boolean =>
  message.failure === null && (queued || site.holdMessages || Boolean(message.timing?.dueAt));

/** Whether a message is handed over while the request waits. */
export const leavesNow = (one: { message: PlannedMessage; waits: boolean }): boolean => !one.waits && isSendable(one.message);

export const leavingNow = <Message extends { message: PlannedMessage; waits: boolean }>(messages: readonly Message[]): Message[] =>
  messages.filter(leavesNow);

/** The answer's `chat` when it is known before the platform is asked, else null. In a dry run: what live would answer if it accepted every message. */
export function decidedOutcome(planned: Plan, event: Departure & { dryRun: boolean }): string | null {
  if (planned.skip) return planned.skip;
  const waiting = planned.messages.filter((message) => waits(message, event)).length;
  const now = planned.messages.filter(isSendable).length - waiting;
  if (now > 0 && !event.dryRun) return null;
  if (waiting > 0 && event.queued) return "accepted";
  const failed = planned.messages.length - now - waiting;
  return waiting > 0 && now + failed === 0 ? "scheduled" : outcome(now, failed);
}
