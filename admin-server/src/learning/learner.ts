import type { Pool } from "shared/db/connect";
import { enlistSites, findDueSites, letRest } from "shared/db/event-kind";
import { inTransaction } from "shared/db/transaction";
import type { Logger } from "shared/server/logger";
import { learnPage } from "./learn-page.ts";
import { defaultLearningLimits, type LearningLimits } from "./limits.ts";
import { oneAhead } from "./one-ahead.ts";

/** Learns what events look like from what gateways have stored: nothing of it happens on the way of an event. Any number of servers may have one. */
export interface Learner {
  /** Learns what any site has received since the last time. */
  round: () => Promise<void>;
  /** Learns what the site has received until now, as far as that goes in a moment. Never rejects: what fails now is learned later. */
  catchUp: (siteId: string) => Promise<void>;
}

export interface LearnerOptions {
  sql: Pool;
  log: Logger;
  /** Ends what is under way after its page. */
  stopping: AbortSignal;
  limits?: LearningLimits | undefined;
}

export function createLearner({ sql, log, stopping, limits = defaultLearningLimits }: LearnerOptions): Learner {
  const learn = async (siteIds: readonly string[], waitMs: number | null, deadline: number): Promise<void> => {
    const budget = { payloads: limits.payloads, bytes: limits.bytes };
    let reached: ReadonlyMap<string, string> = new Map();
    for (let left = siteIds; left.length > 0 && !stopping.aborted && performance.now() < deadline; left = [...reached.keys()]) {
      const run = { limits, budget, waits: waitMs !== null, reached };
      reached = await inTransaction(sql, async (transaction) => {
        if (waitMs !== null) await transaction`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`;
        return learnPage(transaction, left, run);
      });
    }
  };

  const learnOrSplit = async (siteIds: readonly string[], deadline: number): Promise<void> => {
    try {
      await learn(siteIds, null, deadline);
    } catch (error) {
      const [first, ...others] = siteIds;
      if (first === undefined) return;
      if (others.length > 0) {
        for (const siteId of siteIds) await learnOrSplit([siteId], deadline);
        return;
      }
      log.warn({ err: error, siteId: first }, "a site's events could not be learned from and will be tried again");
      await letRest(sql, first);
    }
  };

  return {
    async round() {
      const deadline = performance.now() + limits.runMs;
      await enlistSites(sql, null);
      const due = await findDueSites(sql, limits, limits.restSeconds, limits.dueSites);
      for (let at = 0; at < due.length && performance.now() < deadline; at += limits.sites) {
        await learnOrSplit(due.slice(at, at + limits.sites), deadline);
      }
    },
    catchUp: oneAhead(async (siteId) => {
      try {
        await enlistSites(sql, siteId);
        await learn([siteId], limits.askMs, performance.now() + limits.askMs);
      } catch (error) {
        log.warn({ err: error, siteId }, "a site's events could not be learned from at once");
      }
    }),
  };
}
