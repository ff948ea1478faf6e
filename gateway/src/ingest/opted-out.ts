import { optOutKey } from "shared/core/message";
import { optedOut } from "shared/core/plan";
import type { Addressee } from "shared/db/event/claim";
import type { Vault } from "shared/secrets/vault";
import { decidedOutcome, isSendable, leavesNow } from "./event.ts";
import type { PlannedDelivery, PlannedEvent } from "./plan.ts";

/** The people to whom the event would send something, for the claim to compare with the opt-outs. Also for a dry run. */
export function toAddressees(
  { delivery: { id, site }, plan }: PlannedEvent,
  marketing: ReadonlySet<string>,
  vault: Pick<Vault, "fingerprint">,
): Addressee[] {
  const { accountId } = site;
  return plan.messages.flatMap((message, position) => {
    if (!isSendable(message)) return [];
    const phone_hash = vault.fingerprint(optOutKey(accountId, message.toPhone));
    return [{ event_id: id, account_id: accountId, position, phone_hash, marketing: marketing.has(message.templateId) }];
  });
}

/** The event with the messages at these positions logged as failed and never sent. */
export function withOptedOut(planned: PlannedEvent, positions: readonly number[]): PlannedEvent {
  const failed = new Map(
    planned.plan.messages.flatMap((message, i) => (positions.includes(i) ? [[i, { ...message, failure: optedOut }] as const] : [])),
  );
  const plan = { ...planned.plan, messages: planned.plan.messages.map((message, i) => failed.get(i) ?? message) };
  const messages = planned.delivery.messages.map((one) => {
    const message = failed.get(one.position);
    return message === undefined ? one : { ...one, message, waits: false };
  });
  return { ...planned, plan, delivery: { ...planned.delivery, messages, outcome: decidedOutcome(plan, planned.event) } };
}

/** The delivery without the messages that an earlier event cancels. If nothing is left to be sent, its outcome is what the log says: see `foreseenOutcome`. */
export function withoutForeseen(delivery: PlannedDelivery, ids: readonly string[]): PlannedDelivery {
  const { outcome } = delivery;
  const messages = delivery.messages.filter(({ id }) => !ids.includes(id));
  const isOpen = messages.length === delivery.messages.length || messages.some(outcome === null ? leavesNow : (one) => one.waits);
  if (isOpen || (outcome !== null && outcome !== "accepted")) return { ...delivery, messages };
  return { ...delivery, messages, outcome: messages.every(({ message }) => isSendable(message)) ? "scheduled" : "failed" };
}
