import { outcome } from "shared/core/event";
import { storedText } from "shared/core/wording";
import { createStatementLane } from "shared/db/batch/lane";
import { settle, type Settlement } from "shared/db/event/settle";
import { isDatabaseAway, withTimeout } from "shared/db/statement";
import type { StageClock } from "shared/metrics/metrics";
import { waitingKeys } from "shared/sealing/account-rows";
import { eventIds } from "shared/server/logger";
import { type GatewayContext, step } from "../context.ts";
import { leaseMarginMs } from "../owning/lease.ts";
import { awayMs } from "../owning/worker.ts";
import { RequestRefused } from "../refusal.ts";
import { waveSize } from "../sending/dispatch.ts";
import { type Dispatch, type HandedResult, keepHeld, localFailure, type OutgoingMessage } from "../sending/outcome.ts";
import { type Answer, composeAnswer, leavingNow } from "./answer.ts";
import type { ClaimedEvent } from "./claim.ts";
import type { IdentifiedMessage } from "./plan.ts";
import { toWaiting } from "./waiting.ts";

/**
 * Sends a claimed event's messages, wave by wave, and records them. Throws the database's error when that could not be done in time, `NotSent` when what has
 * left is recorded and the rest could not leave for the database's sake, and `still_in_progress` when another gateway has taken the event over meanwhile: the
 * answer is then no longer ours to give.
 */
export type Deliver = (claimed: ClaimedEvent, startedAt: number, spent?: StageClock) => Promise<Answer>;

/** The database took all of the time: a retry, or another gateway, finds the event's messages as they were. */
export class NotSent extends Error {
  override readonly name = "NotSent";
  /** `isDatabaseAway` recognizes this code. */
  readonly code = "ETIMEDOUT";
}

export function createDeliver(
  { clock, config, instanceId, metrics, vault }: GatewayContext,
  dispatch: Dispatch,
  settling: Pick<Settle, "record">,
): Deliver {
  const { handOverMs, answerMs, statementMs } = config.timeLimits;
  return async (claimed, startedAt, spent) => {
    const { id, site, messages } = claimed.delivery;
    const startBy = Math.min(startedAt + handOverMs, claimed.leaseEndsAt - leaseMarginMs);
    const limits = { startBy, cutAt: Math.min(startedAt + (handOverMs + answerMs) / 2, claimed.leaseEndsAt) };
    if (clock.monotonic() >= startBy) throw new NotSent();
    const isLate = clock.monotonic() - startedAt > statementMs;
    const sendable = leavingNow(messages);
    const counts = countUnsent(messages, sendable.length);
    const keyOf = waitingKeys(vault, claimed.delivery.test);
    for (let handed = 0; handed < sendable.length;) {
      const wave = sendable.slice(handed, handed + waveSize).map((one) => toWave(claimed, one));
      spent?.enter("dispatch");
      const handedOver = await dispatch(site, wave, limits);
      spent?.enter("settle");
      const tried = handedOver.filter((one) => !isUntriedByDatabase(one, isLate));
      const { results, held } = keepHeld(site, tried, messages, (one) => toWaiting(claimed.delivery, one, vault, keyOf));
      if (results.length === 0) throw new NotSent();
      const isCut = results.length < wave.length;
      handed += wave.length;
      const late: HandedResult[] = [];
      if (clock.monotonic() >= startBy && !isCut) {
        late.push(...sendable.slice(handed).map((message) => tooLate(site.id, { id: message.id, event_id: id, attempt: 1 })));
        handed = sendable.length;
      }
      for (const result of [...results, ...late]) counts[result.status === "sent" ? "sent" : "failed"] += 1;
      const next = isCut
        ? []
        : sendable.slice(handed, handed + waveSize).map((message) => ({ site_id: site.id, event_id: id, id: message.id }));
      const chat = handed === sendable.length && !isCut ? outcome(counts.sent, counts.failed) : null;
      const event = { site_id: site.id, id, owner: instanceId, chat, recipients_sent: counts.sent, recipients_failed: counts.failed };
      const settlement = { results: [...results, ...late], next, event, held, hasWebhooks: site.hasWebhooks };
      // A caller who gets no answer finds the event unfinished: what was too late is sent then.
      const unanswered = late.length === 0 ? {} : { results, event: { ...event, chat: null } };
      const isOurs = await settling.record(settlement, startedAt + answerMs, unanswered);
      spent?.leave();
      if (!isOurs) throw new RequestRefused("still_in_progress");
      if (isCut) throw new NotSent();
    }
    const decided = outcome(counts.sent, counts.failed);
    metrics?.events(decided);
    return toAnswer(claimed, decided, counts);
  };
}

/** Whether the database kept a message from being tried: it did not answer, or had taken so much of the event's time that the number's turn came too late. */
const isUntriedByDatabase = ({ isUntried, error_code: code, errorClass }: HandedResult, isLate: boolean): boolean =>
  isUntried === true || (isLate && code === "deadline" && errorClass === undefined);

function toWave({ delivery: { id: event_id, site } }: ClaimedEvent, { id, message }: IdentifiedMessage): OutgoingMessage {
  const { bindingId: binding_id, toPhone: to_phone, template, language, components } = message;
  const [throttle, marketing] = [site.throttles.get(binding_id) ?? null, site.marketing.has(message.templateId)];
  return { id, event_id, binding_id, to_phone, template, language, components, attempt: 1, marketing, throttle };
}

/** The answer to an event of which nothing leaves now. */
export const answerClaimed = (claimed: ClaimedEvent, decided: string): Answer =>
  toAnswer(claimed, decided, countUnsent(claimed.delivery.messages, 0));

/** The messages that the log knows before anything is sent, of which so many leave now. */
function countUnsent(messages: readonly IdentifiedMessage[], leaving: number) {
  const scheduled = messages.filter((one) => one.waits).length;
  return { sent: 0, failed: messages.length - leaving - scheduled, scheduled };
}

function toAnswer({ delivery, orderId }: ClaimedEvent, decided: string, { sent, failed, scheduled }: ReturnType<typeof countUnsent>) {
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

const tooLate = (siteId: string, message: Parameters<typeof localFailure>[1]): HandedResult =>
  localFailure(siteId, message, "deadline", storedText("WhatsApp was so slow that this message was not sent in time. Resend it."));

const eventsOf = (settlements: readonly Settlement[]) => eventIds(settlements.map(({ event }) => event.id));

export type Settle = ReturnType<typeof createSettle>;

/** Records results. Those that arrive while a statement is under way share the next one and its commit; while the database is away they wait for it. */
export function createSettle(context: GatewayContext) {
  const { events, clock, config, log, metrics } = context;
  const record = (settlements: Settlement[]): Promise<boolean[]> => settle(events, settlements);
  const recordAndCount = async (settlements: Settlement[]): Promise<boolean[]> => {
    const ours = await record(settlements);
    for (const [i, { results }] of settlements.entries()) if (ours[i]) for (const { status } of results) metrics?.messages(status);
    return ours;
  };
  const lane = createStatementLane({
    run: metrics === undefined ? record : recordAndCount,
    onBatch: metrics && ((rows) => metrics.batchSize(rows, "settle")),
    maxItems: 250,
    keyOf: ({ event }) => event.id,
    groupOf: ({ event }) => event.site_id,
    atOnce: 2,
    limitMs: config.timeLimits.statementMs,
    // What the database refuses now it may accept soon: its caller has the time, and what was sent cannot be unsent.
    insistMs: (error, items) => {
      log.warn({ err: error, ...eventsOf(items) }, "results wait for the database");
      return isDatabaseAway(error) ? awayMs : config.timeLimits.refusedMs;
    },
    onLost: (error, items) => log.error({ err: error, ...eventsOf(items) }, "results could not be recorded"),
  });
  return {
    /**
     * Answers whether the event still belongs to its owner. Throws the database's error at `giveUpAt` (monotonic ms), so that the caller can answer: the
     * results are recorded all the same. No next wave is marked then, as nobody is left to send it, and what stands in `late` counts instead.
     */
    async record(given: Settlement, giveUpAt: number, late: Partial<Settlement> = {}): Promise<boolean> {
      const settlement = { ...given };
      try {
        const left = Math.max(0, giveUpAt - clock.monotonic());
        return await step(context, "settle", given.event.id, () => lane.add(settlement, left));
      } catch (error) {
        Object.assign(settlement, late, { next: [] });
        throw error;
      }
    },
    /** Resolves when nothing is left to record, or `ms` have passed. */
    drain: (ms: number): Promise<void> => withTimeout(lane.drained(), ms).catch(() => undefined),
  };
}
