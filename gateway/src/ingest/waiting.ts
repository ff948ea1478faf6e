import { optOutKey, turnOf } from "shared/core/message";
import type { WaitingClaim } from "shared/db/event/claim";
import type { Fingerprints, KeyOf } from "shared/sealing/kept-timing";
import type { IdentifiedMessage, PlannedDelivery } from "./plan.ts";

/** The row of a message that does not leave with its event. */
export function toWaiting(
  { id: eventId, site }: PlannedDelivery,
  { id, message }: IdentifiedMessage,
  vault: Fingerprints,
  keyOf: KeyOf,
): WaitingClaim {
  const { bindingId, timing, toPhone } = message;
  const dueAt = timing?.dueAt?.toISOString() ?? null;
  return {
    site_id: site.id,
    id,
    account_id: site.accountId,
    event_id: eventId,
    binding_id: bindingId,
    phone_hash: turnOf(vault.fingerprint(optOutKey(site.accountId, toPhone)), site.mode),
    due_at: dueAt,
    expires_at: timing?.expiresAt?.toISOString() ?? null,
    cancel_key: keyOf("cancel", bindingId, timing?.cancelBy),
    restart_key: keyOf("restart", bindingId, timing?.restartBy),
    shown_due_at: dueAt ?? (site.holdMessages ? "infinity" : null),
  };
}
