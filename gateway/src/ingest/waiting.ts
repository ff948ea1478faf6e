import { optOutKey } from "shared/core/message";
import type { WaitingClaim } from "shared/db/event/claim";
import type { Vault } from "shared/secrets/vault";
import type { IdentifiedMessage, PlannedDelivery } from "./plan.ts";

export type Fingerprints = Pick<Vault, "fingerprint">;

/** The row of a message that does not leave with its event. */
export function toWaiting({ id: eventId, site }: PlannedDelivery, { id, message }: IdentifiedMessage, vault: Fingerprints): WaitingClaim {
  const { bindingId, timing, toPhone } = message;
  const dueAt = timing?.dueAt?.toISOString() ?? null;
  return {
    site_id: site.id,
    id,
    account_id: site.accountId,
    event_id: eventId,
    binding_id: bindingId,
    phone_hash: vault.fingerprint(optOutKey(site.accountId, toPhone)),
    due_at: dueAt,
    expires_at: timing?.expiresAt?.toISOString() ?? null,
    cancel_key: waitingKey(vault, "cancel", bindingId, timing?.cancelBy ?? null),
    restart_key: waitingKey(vault, "restart", bindingId, timing?.restartBy ?? null),
    shown_due_at: dueAt ?? (site.holdMessages ? "infinity" : null),
  };
}

/** A keyed digest: the values may be anything about a person. */
export const waitingKey = (vault: Fingerprints, kind: "cancel" | "restart", bindingId: string, value: string | null): string | null =>
  value === null ? null : vault.fingerprint(`${kind} ${bindingId} ${value}`);
