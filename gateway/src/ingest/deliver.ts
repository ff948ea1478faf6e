import { outcome } from "shared/core/event";
import { createStatementLane } from "shared/db/batch/statement-lane";
import { type NotificationResult, settle as settleRows, type Settlement } from "shared/db/event/settle";
import { isDatabaseAway, withTimeout } from "shared/db/transaction";
import { doublingPause, retry } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { type Answer, composeAnswer } from "./answer.ts";
import type { ClaimedEvent } from "./claim.ts";
import type { Dispatch, OutgoingMessage } from "./dispatch.ts";
import { isSendable, waveSize, localFailure } from "./event.ts";

export interface Deliver {
  /**
   * Sends a claimed event's messages, wave by wave, and records them. Throws the database's error when that could not be done in time, and
   * `still_in_progress` when another gateway has taken the event over meanwhile: the answer is then no longer ours to give.
   */
  (event: ClaimedEvent, startedAt: number): Promise<Answer>;
}

/** How long before the lease ends the last try may start: the database's clock and ours need not run alike. */
const leaseMarginMs = 500;

export function createDeliver(context: GatewayContext, dispatch: Dispatch, settle: Settle): Deliver {
  const { clock, config } = context;
  const { handOverMs, answerMs } = config.timeLimits;

  return async (event, startedAt) => {
    const { site } = event;
    const startBy = Math.min(startedAt + handOverMs, event.leaseEndsAt - leaseMarginMs);
    const limits = { startBy, cutAt: Math.min(startedAt + (handOverMs + answerMs) / 2, event.leaseEndsAt) };
    const sendable = event.messages.filter(isSendable);
    const tally = { sent: 0, failed: event.messages.length - sendable.length };

    for (let handed = 0; handed < sendable.length;) {
      await context.onStep?.("dispatch", event.id);
      const wave = sendable.slice(handed, handed + waveSize).map((message) => toOutgoing(event.id, message));
      const results = await dispatch(site, wave, limits);
      handed += wave.length;
      if (clock.monotonic() >= startBy) {
        results.push(...sendable.slice(handed).map((message) => tooLate(site.id, toOutgoing(event.id, message))));
        handed = sendable.length;
      }
      for (const result of results) tally[result.status] += 1;
      const next = sendable.slice(handed, handed + waveSize).map(({ id }) => ({ site_id: site.id, event_id: event.id, id }));
      await context.onStep?.("settle", event.id);
      const chat = handed === sendable.length ? outcome(tally.sent, tally.failed) : null;
      const ours = await settle({ results, next, events: [toProgress(event, context.instanceId, chat, tally)] }, startedAt + answerMs);
      if (!ours) throw new Refusal("still_in_progress");
    }
    return toAnswer(event, outcome(tally.sent, tally.failed), tally);
  };
}

interface Tally {
  sent: number;
  failed: number;
}

/** The answer to an event of which nothing is left to send. */
export function answerClaimed(event: ClaimedEvent, chat: string): Answer {
  return toAnswer(event, chat, { sent: 0, failed: event.messages.length });
}

function toAnswer(event: ClaimedEvent, chat: string, tally: Tally): Answer {
  const { id, name, orderId, plan } = event;
  const counts = { bindings_run: plan.previews.length, recipients_sent: tally.sent, recipients_failed: tally.failed };
  return { status: 200, eventId: id, body: composeAnswer({ event_id: id, name, order_id: orderId, chat, ...counts }) };
}

function toProgress({ id, site }: ClaimedEvent, owner: string, chat: string | null, tally: Tally) {
  return { site_id: site.id, id, owner, chat, recipients_sent: tally.sent, recipients_failed: tally.failed };
}

const tooLate = (siteId: string, message: OutgoingMessage): NotificationResult =>
  localFailure(siteId, message, "deadline", "The platform was too slow for this message's turn to come; resend it.");

const toOutgoing = (
  eventId: string,
  { id, template, language, toPhone, components }: ClaimedEvent["messages"][number],
): OutgoingMessage => ({
  id,
  eventId,
  template,
  language,
  toPhone,
  components,
  attempt: 1,
});

export interface Settle {
  /**
   * Records what became of messages; answers whether their event is still its owner's. While the database is away it is tried again, also after
   * `giveUpAt` (monotonic ms), when the caller is told (by the database's error) that it must answer without: the results are true whoever waits
   * for them. No next wave is marked then, as nobody is left to send it.
   */
  (settlement: Settlement, giveUpAt: number): Promise<boolean>;
  /** Resolves when nothing is left to record, or `ms` have passed. */
  drain(ms: number): Promise<void>;
}

/** How long results are kept for a database that does not come back. */
const keepTryingMs = 10 * 60_000;

export function createSettle({ events, clock, config, log }: GatewayContext): Settle {
  const lane = createStatementLane<Settlement, boolean>({
    run: async (settlements) => {
      const owned = await settleRows(events, {
        results: settlements.flatMap(({ results }) => results),
        next: settlements.flatMap(({ next }) => next),
        events: settlements.flatMap(({ events }) => events),
      });
      return settlements.map(({ events }) => events.every(({ id }) => owned.has(id)));
    },
    maxItems: 250,
    groupOf: ({ events: [event] }) => event?.site_id ?? "",
    atOnce: 2,
    limitMs: config.timeLimits.statementMs,
  });
  const open = new Set<Promise<boolean>>();

  const record = async (settlement: Settlement): Promise<boolean> => {
    const end = clock.monotonic() + keepTryingMs;
    return retry(() => lane.add(settlement), {
      pauseMs: doublingPause,
      again: (error) => {
        const isWorthIt = isDatabaseAway(error) && clock.monotonic() <= end;
        if (isWorthIt) log.warn({ err: error }, "results wait for the database");
        return isWorthIt;
      },
    });
  };

  const settle = async (given: Settlement, giveUpAt: number): Promise<boolean> => {
    const settlement = { ...given };
    const recorded = record(settlement);
    open.add(recorded);
    recorded.catch((error: unknown) => log.error({ err: error }, "results could not be recorded")).finally(() => open.delete(recorded));
    try {
      return await withTimeout(recorded, Math.max(0, giveUpAt - clock.monotonic()));
    } catch (error) {
      settlement.next = [];
      throw error;
    }
  };
  const drain = async (ms: number): Promise<void> => {
    await withTimeout(Promise.allSettled(open), ms).catch(() => undefined);
  };
  return Object.assign(settle, { drain });
}
