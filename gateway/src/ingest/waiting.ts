import { optOutKey } from "shared/core/message";
import type { PlannedMessage } from "shared/core/plan";
import type { StopClaim, WaitingClaim } from "shared/db/event/claim";
import type { Vault } from "shared/secrets/vault";
import type { SiteConfig } from "../sites/sites.ts";
import type { IdentifiedMessage, PlannedEvent } from "./plan.ts";

type Fingerprints = Pick<Vault, "fingerprint">;

/** Whether the log shows that a message waits for its time, as opposed to its turn. */
export const isScheduled = ({ timing }: PlannedMessage, site: SiteConfig): boolean => site.holdMessages || Boolean(timing?.dueAt);

/** What a message waits for that does not leave with its event. */
export function toWaiting(
  { id: eventId, event: { site } }: PlannedEvent,
  { id, message }: IdentifiedMessage,
  vault: Fingerprints,
): WaitingClaim {
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

/** The waiting messages that an event stops: those that it takes the place of, and those that wait for it not to come. */
export function toStops({ id, event, plan }: PlannedEvent, vault: Fingerprints): StopClaim[] {
  const { site, name, payload } = event;
  const rules = site.cancelRules.get(name);
  if (rules === undefined && plan.judged.length === 0) return [];
  const stop = (code: StopClaim["code"], reason: string, key: string | null): StopClaim[] =>
    key === null ? [] : [{ event_id: id, site_id: site.id, key, code, reason }];
  const [restarted, cancelled] = [`A newer ${name} took its place.`, `${name} came, for which the binding cancels what waits.`];
  return [
    ...plan.judged.flatMap(({ binding, timing }) =>
      stop("restarted", restarted, waitingKey(vault, "restart", binding.id, timing?.restartBy ?? null)),
    ),
    ...(rules ?? []).flatMap(({ bindingId, keyOf }) =>
      stop("cancelled_by_event", cancelled, waitingKey(vault, "cancel", bindingId, keyOf(payload))),
    ),
  ];
}

/** A keyed digest: the values may be anything about a person. */
const waitingKey = (vault: Fingerprints, kind: "cancel" | "restart", bindingId: string, value: string | null): string | null =>
  value === null ? null : vault.fingerprint(`${kind} ${bindingId} ${value}`);
