import type { AnswerRow } from "shared/db/event/answer";
import type { AuthenticEvent } from "./authenticate.ts";
import type { PlannedEvent } from "./plan.ts";

/** A response: the edge adds nothing but its own headers. */
export interface Answer {
  status: number;
  body: string;
  headers?: Record<string, string> | undefined;
  /** Null when nothing was stored. */
  eventId: string | null;
}

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
export function composeAnswer(event: AnsweredEvent, outcome: string, toShop: boolean): Answer {
  const { event_id: eventId } = event;
  if (toShop) return { status: 200, body: JSON.stringify({ ok: true, event_id: eventId, event: event.name, chat: outcome }), eventId };
  // Nothing is counted yet when the answer is given before anything is sent.
  const isEarly = outcome === "accepted";
  const body = JSON.stringify({
    ok: true,
    event: event.name,
    event_id: eventId,
    order_id: event.order_id,
    chat: outcome,
    bindings_run: event.bindings_run,
    recipients_sent: isEarly ? 0 : event.recipients_sent,
    recipients_failed: isEarly ? 0 : event.recipients_failed,
    ...(event.recipients_scheduled > 0 && !isEarly && { recipients_scheduled: event.recipients_scheduled }),
  });
  return isEarly ? { status: 202, body, headers: { "Preference-Applied": "respond-async" }, eventId } : { status: 200, body, eventId };
}

export function composeDryRunAnswer({ delivery: { id, name, outcome, bindingsRun }, plan }: PlannedEvent): string {
  return JSON.stringify({
    ok: true,
    event: name,
    event_id: id,
    chat: outcome,
    bindings_run: bindingsRun,
    dry_run: true,
    previews: plan.previews,
  });
}
