import { optOutKey } from "shared/core/message";
import { isDatabaseAway, withTimeout } from "shared/db/transaction";
import { giveThrottledBack, takeThrottled, type ThrottleMark } from "shared/db/waiting/pace";
import { eventIds } from "shared/server/logger";
import { doublingPause, retry } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { type Dispatch, hasLeft, notTried, type OutgoingMessage } from "./outcome.ts";

type ThrottleContext = Pick<GatewayContext, "sql" | "config" | "log" | "vault" | "clock">;

/** Hands over the messages of a wave whose bindings allow more of them to their phones now, and fails the others. */
export function createThrottle({ sql, log, vault, clock, config }: ThrottleContext, handOver: Dispatch): Dispatch {
  const limitMs = config.timeLimits.statementMs;

  /** Asks again while the database is away and there is time: nothing has left yet. The count may stand there already, as an answer can be lost. */
  const count = (site: SiteConfig, wave: readonly OutgoingMessage[], startBy: number): Promise<ThrottleMark[]> => {
    const messages = wave.flatMap(({ id, toPhone, attempt, throttle }) => {
      if (!throttle) return [];
      const { bindingId: binding_id, ...limit } = throttle;
      return { id, binding_id, phone_hash: vault.fingerprint(optOutKey(site.accountId, toPhone)), again: attempt > 1, ...limit };
    });
    const again = messages.map((one) => ({ ...one, again: true }));
    return retry((attempt) => withTimeout(takeThrottled(sql, attempt === 1 ? messages : again), limitMs), {
      pauseMs: doublingPause,
      again: (error, _, pauseMs) => isDatabaseAway(error) && clock.monotonic() + pauseMs < startBy,
    });
  };

  /** Messages that did not leave after all no longer count against the limit. */
  const giveBack = async (marks: readonly ThrottleMark[]): Promise<void> => {
    if (marks.length === 0) return;
    await withTimeout(giveThrottledBack(sql, marks), limitMs).catch((error: unknown) => {
      log.warn({ err: error }, "messages that did not leave count for their throttle");
    });
  };

  return async (site, wave, limits) => {
    const marks = await count(site, wave, limits.startBy).catch((error: unknown) => {
      // The queue has them wait; nobody else would.
      if (limits.fromQueue) throw error;
      log.warn(
        { err: error, ...eventIds(wave.map(({ eventId }) => eventId)) },
        "messages with a throttle are not sent, as the database does not answer",
      );
      return null;
    });
    const allowed = new Set(marks?.map(({ id }) => id));
    const free = wave.filter(({ id, throttle }) => !throttle || allowed.has(id));
    const results = new Map((free.length > 0 ? await handOver(site, free, limits) : []).map((result) => [result.id, result]));
    await giveBack((marks ?? []).filter(({ id }) => !hasLeft(results.get(id))));
    return wave.map((message) => results.get(message.id) ?? notTried(site.id, message, marks === null ? "deadline" : "throttled"));
  };
}
