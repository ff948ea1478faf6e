import { outcome } from "shared/core/event";
import { optedOut, optOutKey } from "shared/core/message";
import { eventTrace, type EventTrace, type Plan, type PlannedMessage, planEvent } from "shared/core/plan";
import type { Addressee } from "shared/db/event/claim";
import { newId } from "shared/db/ids";
import type { Vault } from "shared/secrets/vault";
import type { AuthenticEvent } from "./authenticate.ts";
import { isSendable } from "./event.ts";

/** Those whom the event would send something, where anybody has opted out of the account's messages: the claim compares them. In a dry run too. */
export function toAddressees({ id: event_id, site, plan }: PlannedEvent, vault: Pick<Vault, "fingerprint">): Addressee[] {
  const { accountId, marketing } = site;
  if (marketing === null) return [];
  return plan.messages.flatMap((message, position) => {
    if (!isSendable(message)) return [];
    const phone_hash = vault.fingerprint(optOutKey(accountId, message.toPhone));
    return [{ event_id, account_id: accountId, position, phone_hash, marketing: marketing.has(message.templateId) }];
  });
}

/** The event with the messages at these positions logged as failed and never sent. */
export function withOptedOut(event: PlannedEvent, positions: readonly number[]): PlannedEvent {
  const mark = <T extends { failure: unknown }>(message: T, position: number): T =>
    positions.includes(position) ? { ...message, failure: optedOut } : message;
  const plan = { ...event.plan, messages: event.plan.messages.map(mark) };
  return { ...event, plan, messages: event.messages.map(mark), chat: decidedChat(plan, event.dryRun) };
}

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

/**
 * Pure but for the ids: event + site → messages. The dry run takes the same road as the real one.
 *
 * Here and below the members are named one by one: an object that is spread into another costs the event's way a twentieth of its time.
 */
export function plan(event: AuthenticEvent, now: Date): PlannedEvent {
  const { site, source, name, payload, text, test, dryRun, idempotencyKey } = event;
  const planned = planEvent({
    bindings: site.bindings.get(name) ?? [],
    payload,
    test,
    site: { testPhone: site.testPhone, activePhones: site.activePhones },
    account: { timezone: site.timezone, configured: site.platform !== null },
    now,
  });
  const id = newId();
  const messages = dryRun ? [] : planned.messages.map(identified);
  const trace = eventTrace(planned, !dryRun && planned.skip === null);
  const chat = decidedChat(planned, dryRun);
  return { site, source, name, payload, text, test, dryRun, idempotencyKey, id, plan: planned, messages, trace, chat };
}

function identified(message: PlannedMessage, position: number): IdentifiedMessage {
  const { bindingId, templateId, template, language, toPhone, components, failure } = message;
  return { bindingId, templateId, template, language, toPhone, components, failure, id: newId(), position };
}

/** The answer's `chat` when it can be said before the platform is asked, else null. In a dry run: what live would answer if it accepted every message. */
export function decidedChat(planned: Plan, dryRun: boolean): string | null {
  if (planned.skip) return planned.skip;
  const sendable = planned.messages.filter(isSendable).length;
  if (sendable > 0 && !dryRun) return null;
  return outcome(sendable, planned.messages.length - sendable);
}
