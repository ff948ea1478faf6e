import { createHash } from "node:crypto";
import { orderReference } from "shared/core/event/order-reference";
import { orderSummary } from "shared/core/event/order-summary";
import { isDatabaseAway } from "shared/db/is-database-away";
import { newId } from "shared/db/new-id";
import { isUniqueViolation } from "shared/db/sql-state";
import { claimEvents, type EventClaim, type NotificationClaim, type OrderClaim } from "shared/db/tables/event/claim";
import { readStoredEvent } from "shared/db/tables/event/read-answer";

import type { GatewayContext } from "../context.ts";
import { composeDryRunAnswer } from "./answer.ts";
import type { IdentifiedMessage, PlannedEvent } from "./plan.ts";
import { createStatementLane } from "./statement-lane.ts";
import { isSendable, waveSize } from "./wave.ts";

/** An event that is stored and ours until `leaseEndsAt` (monotonic ms). Only `claim` makes one. */
export interface ClaimedEvent extends PlannedEvent {
  orderId: string | null;
  leaseEndsAt: number;
}

export type ClaimResult = { kind: "claimed"; event: ClaimedEvent } | { kind: "duplicate" } | { kind: "outdated" };

export interface Claim {
  /** Throws the database's error when the event is not stored, as far as can be told by `giveUpAt` (monotonic ms). */
  (event: PlannedEvent, giveUpAt: number): Promise<ClaimResult>;
}

/** Every event that arrives while a claim is under way shares the next one's statement and commit. */
export function createClaim(context: GatewayContext): Claim {
  const { sql, clock, config } = context;
  const { leaseMs, statementMs } = config.timeLimits;
  const lane = createStatementLane({
    run: (claims: EventClaim[]) => claimEvents(sql, claims, leaseMs / 1000),
    maxItems: 250,
    maxSize: 4_000_000,
    sizeOf: (claim) => claim.payload.length + (claim.body?.length ?? 0) + 2_000 * claim.notifications.length,
    keyOf: (claim) => claim.idempotency_key && JSON.stringify([claim.site_id, claim.name, claim.idempotency_key, claim.dry_run]),
    limitMs: statementMs,
  });

  return async (event, giveUpAt) => {
    const row = toClaim(event, context.instanceId);
    // Counted from before the statement, so that ours ends before the database's.
    const leaseEndsAt = clock.monotonic() + leaseMs;
    const { outcome, order_id } = await claimOrReadBack(row);
    return outcome === "claimed" ? { kind: "claimed", event: { ...event, orderId: order_id, leaseEndsAt } } : { kind: outcome };

    async function claimOrReadBack(claim: EventClaim): ReturnType<typeof lane.add> {
      try {
        return await lane.add(claim);
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        return await settleLostClaim(claim, error);
      }
    }

    /** The answer to the claim was lost: it may be stored, may yet be, or may not. Claiming again waits for the one that is under way. */
    async function settleLostClaim(claim: EventClaim, lost: unknown): ReturnType<typeof lane.add> {
      for (let pause = 50; clock.monotonic() + pause < giveUpAt; pause = Math.min(pause * 2, 1000)) {
        await new Promise((resolve) => setTimeout(resolve, pause));
        try {
          const stored = await readStoredEvent(sql, claim.site_id, claim.event_id);
          if (stored) return { event_id: claim.event_id, outcome: "claimed", order_id: stored.order_id };
          return await lane.add(claim);
        } catch (error) {
          if (!isDatabaseAway(error) && !isUniqueViolation(error)) throw error;
        }
      }
      throw lost;
    }
  };
}

function toClaim(event: PlannedEvent, owner: string): EventClaim {
  const { site, plan, messages, chat, dryRun, idempotencyKey } = event;
  const firstWave = new Set(messages.filter(isSendable).slice(0, waveSize));
  return {
    event_id: event.id,
    site_id: site.id,
    account_id: site.accountId,
    site_version: site.siteVersion,
    account_version: site.accountVersion,
    source: event.source,
    name: event.name,
    test: event.test,
    dry_run: dryRun,
    payload: event.text,
    idempotency_key: idempotencyKey,
    body: dryRun && idempotencyKey !== null ? composeDryRunAnswer(event) : null,
    order: dryRun ? null : toOrder(event),
    bindings_run: plan.previews.length,
    chat,
    recipients_sent: 0,
    recipients_failed: messages.length - messages.filter(isSendable).length,
    owner,
    notifications: messages.map((message) => toNotification(message, firstWave.has(message))),
  };
}

function toOrder({ payload }: PlannedEvent): OrderClaim | null {
  const reference = orderReference(payload);
  if (!reference) return null;
  const { externalId, number, status, total, currency } = orderSummary(payload);
  const hash = createHash("sha256").update(`${reference.kind}:${reference.value}`).digest("hex");
  return { id: newId(), reference_hash: hash, external_id: externalId, number, status, total, currency };
}

function toNotification(message: IdentifiedMessage, sending: boolean): NotificationClaim {
  return {
    id: message.id,
    binding_id: message.bindingId,
    template_id: message.templateId,
    template: message.template,
    language: message.language,
    to_phone: message.toPhone,
    position: message.position,
    status: message.failure ? "failed" : sending ? "sending" : "queued",
    components: JSON.stringify(message.components),
    error_code: message.failure?.code ?? null,
    error_reason: message.failure?.reason ?? null,
  };
}
