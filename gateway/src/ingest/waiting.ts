import { optOutKey, turnOf } from "shared/core/person-key";
import type { WaitingClaim } from "shared/db/event/claim";
import type { HeldMessage } from "shared/db/event/settle";
import type { Fingerprints, KeyOf } from "shared/sealing/account-rows";
import type { SiteConfig } from "../sites/sites.ts";
import type { IdentifiedMessage, PlannedDelivery } from "./plan.ts";

/** The row of a message that waits, but for its timing. */
export const timelessRow = (
  site: Pick<SiteConfig, "id" | "accountId" | "mode">,
  message: Pick<HeldMessage, "id" | "event_id" | "binding_id"> & { to_phone: string },
  vault: Fingerprints,
) => ({
  site_id: site.id,
  id: message.id,
  account_id: site.accountId,
  event_id: message.event_id,
  binding_id: message.binding_id,
  phone_hash: turnOf(vault.fingerprint(optOutKey(site.accountId, message.to_phone)), site.mode),
});

/** The row of a message that does not leave with its event. */
export function toWaiting(
  { id: event_id, site }: PlannedDelivery,
  { id, message: { bindingId: binding_id, toPhone: to_phone, timing } }: IdentifiedMessage,
  vault: Fingerprints,
  keyOf: KeyOf,
): WaitingClaim {
  const dueAt = timing?.dueAt?.toISOString() ?? null;
  return {
    ...timelessRow(site, { id, event_id, binding_id, to_phone }, vault),
    due_at: dueAt,
    expires_at: timing?.expiresAt?.toISOString() ?? null,
    cancel_key: keyOf("cancel", binding_id, timing?.cancelBy),
    restart_key: keyOf("restart", binding_id, timing?.restartBy),
    shown_due_at: dueAt ?? (site.holdMessages ? "infinity" : null),
  };
}
