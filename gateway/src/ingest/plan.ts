import { eventTrace, type EventTrace } from "shared/core/binding/event-trace";
import type { Plan, PlannedMessage } from "shared/core/binding/plan";
import { planEvent } from "shared/core/binding/plan-event";
import { newId } from "shared/db/new-id";
import { decidedChat } from "./decided-chat.ts";
import type { AuthenticEvent } from "./read-event.ts";

/** An event with everything decided that can be decided before the platform is asked. */
export interface PlannedEvent extends AuthenticEvent {
  id: string;
  plan: Plan;
  messages: IdentifiedMessage[];
  /** What the messages do not tell. */
  trace: EventTrace | null;
  /** The answer's `chat`, when nothing is to be sent; null when the platform has a say. */
  chat: string | null;
}

export interface IdentifiedMessage extends PlannedMessage {
  id: string;
  position: number;
}

/** Pure but for the ids: event + site → messages. The dry run takes the same road as the real one. */
export function plan(event: AuthenticEvent, now: Date): PlannedEvent {
  const { site } = event;
  const planned = planEvent({
    bindings: site.bindings.get(event.name) ?? [],
    payload: event.payload,
    test: event.test,
    site: { testPhone: site.testPhone, activePhones: site.activePhones },
    account: { timezone: site.timezone, configured: site.platform !== null },
    now,
  });
  const id = newId();
  const messages = event.dryRun ? [] : planned.messages.map((message, position) => ({ ...message, id: newId(), position }));
  const trace = eventTrace(planned, !event.dryRun && planned.skip === null);
  return { ...event, id, plan: planned, messages, trace, chat: decidedChat(planned, event.dryRun) };
}
