import { optOutKey } from "shared/core/person-key";
import { retryWhileAway } from "shared/db/statement";
import { giveThrottledBack, takeThrottled, type ThrottleMark } from "shared/db/waiting/pace";
import { eventIds } from "shared/server/logger";
import { type GatewayContext, inTime } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { type Dispatch, handSome, hasLeft, notTried, type OutgoingMessage, type SendLimits } from "./outcome.ts";

/**
 * What the database says of a wave that is about to be sent, asked again while it is away and there is time: nothing has left yet. Null when it does not
 * answer; it throws for messages of the queue, which has them wait.
 */
export async function askFirst<T>(
  context: GatewayContext,
  wave: readonly OutgoingMessage[],
  { startBy, fromQueue }: SendLimits,
  ask: (attempt: number) => Promise<T>,
): Promise<T | null> {
  try {
    return await retryWhileAway(
      (attempt) => inTime(context, ask(attempt)),
      (pauseMs) => context.clock.monotonic() + pauseMs < startBy,
    );
  } catch (error) {
    if (fromQueue) throw error;
    context.log.warn(
      { err: error, ...eventIds(wave.map(({ event_id }) => event_id)) },
      "messages are not sent, as the database does not answer",
    );
    return null;
  }
}

/** Hands over the messages of a wave whose bindings allow more of them to their phones now, and fails the others. */
export function createThrottle(context: GatewayContext, handOver: Dispatch): Dispatch {
  const { sql, log, vault } = context;

  const count = (site: SiteConfig, wave: readonly OutgoingMessage[], limits: SendLimits): Promise<ThrottleMark[] | null> => {
    const messages = wave.flatMap(({ id, binding_id, to_phone, attempt, throttle }) =>
      throttle
        ? { id, binding_id, phone_hash: vault.fingerprint(optOutKey(site.accountId, to_phone)), again: attempt > 1, ...throttle }
        : [],
    );
    // The count may stand there already, as an answer can be lost.
    const again = messages.map((one) => ({ ...one, again: true }));
    return askFirst(context, wave, limits, (attempt) => takeThrottled(sql, attempt === 1 ? messages : again));
  };

  /** Messages that did not leave after all no longer count against the limit. */
  const giveBack = async (marks: readonly ThrottleMark[]): Promise<void> => {
    if (marks.length === 0) return;
    await inTime(context, giveThrottledBack(sql, marks)).catch((error: unknown) => {
      log.warn({ err: error }, "messages that did not leave count for their throttle");
    });
  };

  return async (site, wave, limits) => {
    const marks = await count(site, wave, limits);
    const allowed = new Set(marks?.map(({ id }) => id));
    const free = wave.filter(({ id, throttle }) => !throttle || allowed.has(id));
    const reason = marks === null ? "deadline" : "throttled";
    const results = await handSome(site, wave, free, limits, handOver, (message) => notTried(site.id, message, reason));
    await giveBack((marks ?? []).filter(({ id }) => !hasLeft(results.find((result) => result.id === id))));
    return results;
  };
}
