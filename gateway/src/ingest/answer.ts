import type { AnswerRow } from "shared/db/event/answer";
import type { PlannedEvent } from "./plan.ts";

/** A response: the edge adds nothing but its own headers. */
export interface Answer {
  status: number;
  body: string;
  headers?: Record<string, string> | undefined;
  eventId: string;
}

type LiveAnswer = Pick<AnswerRow, "event_id" | "name" | "order_id" | "bindings_run" | "recipients_sent" | "recipients_failed"> & {
  chat: string;
};

/**
 * The body of a live event's answer. Composed from what the event's row holds, so that a duplicate gets the same bytes from any gateway without
 * their being stored.
 */
export function composeAnswer(event: LiveAnswer): string {
  return JSON.stringify({
    ok: true,
    event: event.name,
    event_id: event.event_id,
    order_id: event.order_id,
    chat: event.chat,
    bindings_run: event.bindings_run,
    recipients_sent: event.recipients_sent,
    recipients_failed: event.recipients_failed,
  });
}

export function composeDryRunAnswer({ id, name, chat, plan }: PlannedEvent): string {
  return JSON.stringify({
    ok: true,
    event: name,
    event_id: id,
    chat,
    bindings_run: plan.previews.length,
    dry_run: true,
    previews: plan.previews,
  });
}
