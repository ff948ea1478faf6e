import { optedOut, optOutKey } from "shared/core/message";
import type { Addressee } from "shared/db/event/claim";
import type { Vault } from "shared/secrets/vault";
import { decidedChat } from "./decided-chat.ts";
import type { PlannedEvent } from "./plan.ts";
import { isSendable } from "./wave.ts";

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
