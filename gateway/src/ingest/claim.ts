import { createHash } from "node:crypto";
import { orderReference } from "shared/core/event/order-reference";
import { orderSummary } from "shared/core/event/order-summary";
import { isDatabaseAway } from "shared/db/is-database-away";
import type { Lane } from "shared/db/lane";
import { newId } from "shared/db/new-id";
import { isUniqueViolation } from "shared/db/sql-state";
import { claimEvents, type ClaimOutcome, type EventClaim, type NotificationClaim, type OrderClaim } from "shared/db/tables/event/claim";
import { readStoredEvent } from "shared/db/tables/event/read-answer";
import { within } from "shared/db/within";
import type { GatewayContext } from "../context.ts";
import { composeDryRunAnswer } from "./answer.ts";
import type { GiveBack } from "./give-back.ts";
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
  /** Throws the database's error when the event is not stored, as far as can be told by `giveUpAt` (monotonic ms); it is then given back. */
  (event: PlannedEvent, giveUpAt: number): Promise<ClaimResult>;
}

interface Entry {
  row: EventClaim;
  /** Nobody waits for it from then on (monotonic ms). */
  giveUpAt: number;
}

type Outcome = Pick<ClaimOutcome, "outcome" | "order_id">;

/** Every event that arrives while a claim is under way shares the next one's statement and commit. */
export function createClaim(context: GatewayContext, giveBack: GiveBack): Claim {
  const { sql, clock, config } = context;
  const { leaseMs } = config.timeLimits;
  const lane = createClaimLane(context);
  const inTime = async <T>(giveUpAt: number, statement: Promise<T>): Promise<T> =>
    within(Math.max(0, giveUpAt - clock.monotonic()), statement);

  /** The answer to a claim was lost: it may be stored, may yet be, or may not. Claiming again waits for the one that is under way. */
  const claimAgain = async (entry: Entry): Promise<Outcome> => {
    const { row, giveUpAt } = entry;
    const stored = await inTime(giveUpAt, readStoredEvent(sql, row.site_id, row.event_id));
    return stored ? { outcome: "claimed", order_id: stored.order_id } : await inTime(giveUpAt, lane.add(entry));
  };

  const claim = async (entry: Entry): Promise<Outcome> => {
    let next = inTime(entry.giveUpAt, lane.add(entry));
    for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
      try {
        return await next;
      } catch (error) {
        const lost = isDatabaseAway(error) || (pause > 50 && isUniqueViolation(error));
        if (!lost || clock.monotonic() + pause >= entry.giveUpAt) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      next = claimAgain(entry);
    }
  };

  return async (event, giveUpAt) => {
    const row = toClaim(event, context.instanceId);
    // Counted from before the statement, so that ours ends before the database's.
    const leaseEndsAt = clock.monotonic() + leaseMs;
    try {
      const { outcome, order_id } = await claim({ row, giveUpAt });
      return outcome === "claimed" ? { kind: "claimed", event: { ...event, orderId: order_id, leaseEndsAt } } : { kind: outcome };
    } catch (error) {
      if (isDatabaseAway(error)) giveBack(row);
      throw error;
    }
  };
}

function createClaimLane({ sql, clock, config }: GatewayContext): Lane<Entry, Outcome> {
  const { leaseMs, statementMs } = config.timeLimits;
  return createStatementLane({
    run: async (entries: Entry[]): Promise<Outcome[]> => {
      // What nobody waits for any more is not stored, and the queue of a slow database stays short.
      const awaited = entries.filter(({ giveUpAt }) => clock.monotonic() < giveUpAt);
      const rows = awaited.map(({ row }) => row);
      const outcomes = rows.length > 0 ? await claimEvents(sql, rows, leaseMs / 1000) : [];
      const byId = new Map(outcomes.map((outcome) => [outcome.event_id, outcome]));
      return entries.map(({ row }) => byId.get(row.event_id) ?? { outcome: "outdated", order_id: null });
    },
    maxItems: 250,
    maxSize: 4_000_000,
    sizeOf: ({ row }) => row.payload.length + (row.body?.length ?? 0) + 2_000 * row.notifications.length,
    keyOf: ({ row }) => row.idempotency_key && JSON.stringify([row.site_id, row.name, row.idempotency_key, row.dry_run]),
    limitMs: statementMs,
  });
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
