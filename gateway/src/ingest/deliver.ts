import { outcome } from "shared/core/event";
import type { NotificationResult } from "shared/db/event/settle";
import type { GatewayContext } from "../context.ts";
import { type Answer, composeAnswer } from "./answer.ts";
import type { ClaimedEvent } from "./claim.ts";
import type { Dispatch, OutgoingMessage } from "./dispatch.ts";
import { localFailure } from "./local-failure.ts";
import { Refusal } from "./refusal.ts";
import type { Settle } from "./settle.ts";
import { isSendable, waveSize } from "./wave.ts";

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
