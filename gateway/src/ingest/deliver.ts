import { outcome } from "shared/core/event";
import { storedText } from "shared/core/wording";
import { createStatementLane } from "shared/db/batch/statement-lane";
import type { Sql } from "shared/db/connect";
import { type NotificationResult, settle as settleRows, type Settlement } from "shared/db/event/settle";
import { retryWhileAway, withDeadline, withTimeout } from "shared/db/transaction";
import { createDeadlines } from "shared/server/deadlines";
import type { GatewayContext } from "../context.ts";
import { leaseMarginMs } from "../owning/lease.ts";
import { RequestRefused } from "../refusal.ts";
import { type Answer, composeAnswer } from "./answer.ts";
import type { ClaimedEvent } from "./claim.ts";
import type { Dispatch } from "./dispatch.ts";
import { leavingNow, waveSize } from "./event.ts";
import { localFailure, toOutgoing } from "./outgoing.ts";

/**
 * Sends a claimed event's messages, wave by wave, and records them. Throws the database's error when that could not be done in time, and
 * `still_in_progress` when another gateway has taken the event over meanwhile: the answer is then no longer ours to give.
 */
export type Deliver = (claimed: ClaimedEvent, startedAt: number) => Promise<Answer>;

export function createDeliver(context: GatewayContext, dispatch: Dispatch, settle: Pick<Settle, "record">): Deliver {
  const { clock, config, instanceId } = context;
  const { handOverMs, answerMs } = config.timeLimits;

  return async (claimed, startedAt) => {
    const { id, site, messages } = claimed.delivery;
    const startBy = Math.min(startedAt + handOverMs, claimed.leaseEndsAt - leaseMarginMs);
    const limits = { startBy, cutAt: Math.min(startedAt + (handOverMs + answerMs) / 2, claimed.leaseEndsAt) };
    const sendable = leavingNow(messages);
    const scheduled = messages.filter((one) => one.waits).length;
    const tally = { sent: 0, failed: messages.length - sendable.length - scheduled, scheduled };

    for (let handed = 0; handed < sendable.length;) {
      if (context.onStep) await context.onStep("dispatch", id);
      const wave = sendable.slice(handed, handed + waveSize).map(({ id: messageId, message }) => {
        const { bindingId: binding_id, toPhone: to_phone } = message;
        return toOutgoing({
          ...message,
          id: messageId,
          event_id: id,
          binding_id,
          to_phone,
          attempt: 1,
          throttle: site.throttles.get(binding_id),
        });
      });
      const results: NotificationResult[] = await dispatch(site, wave, limits);
      handed += wave.length;
      if (clock.monotonic() >= startBy) {
        results.push(...sendable.slice(handed).map((message) => tooLate(site.id, { id: message.id, eventId: id, attempt: 1 })));
        handed = sendable.length;
      }
      for (const result of results) tally[result.status] += 1;
      const next = sendable.slice(handed, handed + waveSize).map((message) => ({ site_id: site.id, event_id: id, id: message.id }));
      if (context.onStep) await context.onStep("settle", id);
      const chat = handed === sendable.length ? outcome(tally.sent, tally.failed) : null;
      const progress = { site_id: site.id, id, owner: instanceId, chat, recipients_sent: tally.sent, recipients_failed: tally.failed };
      const ours = await settle.record({ results, next, events: [progress], hasWebhooks: site.hasWebhooks }, startedAt + answerMs);
      if (!ours) throw new RequestRefused("still_in_progress");
    }
    return toAnswer(claimed, outcome(tally.sent, tally.failed), tally);
  };
}

/** The answer to an event that sends nothing. */
export function answerClaimed(claimed: ClaimedEvent, decided: string): Answer {
  const { messages } = claimed.delivery;
  const scheduled = messages.filter((one) => one.waits).length;
  return toAnswer(claimed, decided, { sent: 0, failed: messages.length - scheduled, scheduled });
}

interface Tally {
  sent: number;
  failed: number;
  scheduled: number;
}

function toAnswer({ delivery, orderId }: ClaimedEvent, decided: string, { sent, failed, scheduled }: Tally): Answer {
  const answered = {
    event_id: delivery.id,
    name: delivery.name,
    order_id: orderId,
    bindings_run: delivery.bindingsRun,
    recipients_sent: sent,
    recipients_failed: failed,
    recipients_scheduled: scheduled,
  };
  return composeAnswer(answered, decided, delivery.toShop);
}

const tooLate = (siteId: string, message: Parameters<typeof localFailure>[1]): NotificationResult =>
  localFailure(siteId, message, "deadline", storedText("WhatsApp was so slow that this message was not sent in time. Resend it."));

export interface Settle {
  /**
   * Records results; answers whether the event still belongs to its owner. Tries again while the database is away, also after `giveUpAt` (monotonic ms),
   * at which it throws the database's error so that the caller can answer: the results are recorded all the same. No next wave is marked then, as nobody
   * is left to send it.
   */
  record(settlement: Settlement, giveUpAt: number): Promise<boolean>;
  /** Resolves when nothing is left to record, or `ms` have passed. */
  drain(ms: number): Promise<void>;
}

export function createSettle({ events, clock, config, log }: GatewayContext): Settle {
  const lane = createStatementLane({
    run: (settlements: Settlement[]) => settleTogether(events, settlements),
    maxItems: 250,
    keyOf: ({ events: [event] }) => event?.id ?? null,
    groupOf: ({ events: [event] }) => event?.site_id ?? "",
    atOnce: 2,
    limitMs: config.timeLimits.statementMs,
  });
  const deadlines = createDeadlines();
  let open = 0;
  let onDrained = (): void => undefined;

  const end = (): void => {
    open -= 1;
    if (open === 0) onDrained();
  };

  const recordWhenPossible = (settlement: Settlement): Promise<boolean> => {
    const onAway = (error: unknown): void => log.warn({ err: error }, "results wait for the database");
    const recorded = retryWhileAway(() => lane.add(settlement), clock, onAway);
    open += 1;
    recorded.then(end, (error: unknown) => {
      log.error({ err: error }, "results could not be recorded");
      end();
    });
    return recorded;
  };

  return {
    async record(given, giveUpAt) {
      const settlement = { ...given };
      try {
        return await withDeadline(recordWhenPossible(settlement), Math.max(0, giveUpAt - clock.monotonic()), deadlines);
      } catch (error) {
        settlement.next = [];
        throw error;
      }
    },
    async drain(ms) {
      if (open === 0) return;
      await withTimeout(new Promise<void>((resolve) => (onDrained = resolve)), ms).catch(() => undefined);
    },
  };
}

/** Answers for each settlement whether its event still belongs to its owner. */
async function settleTogether(sql: Sql, settlements: readonly Settlement[]): Promise<boolean[]> {
  const owned = await settleRows(sql, {
    results: settlements.flatMap(({ results }) => results),
    next: settlements.flatMap(({ next }) => next),
    events: settlements.flatMap(({ events }) => events),
    hasWebhooks: settlements.some(({ hasWebhooks }) => hasWebhooks),
  });
  return settlements.map(({ events }) => events.every(({ id }) => owned.has(id)));
}
