import {
  enlistSites,
  findDueSites,
  letRest,
  dropLongUnseenKinds,
  writeLearned,
  holdLearning,
  type NewEvent,
  readNewEvents,
} from "shared/db/event-kind";
import { type Pool, type Sql, inTransaction } from "shared/db/statement";
import { readRowCodecsOfSites } from "shared/sealing/account-rows";
import type { Vault } from "shared/secrets/vault";
import type { Logger } from "shared/server/logger";
import { defaultLearningLimits, type LearningLimits, oneAhead, startOf, learnPayloads, readKinds, turnPage } from "./kinds.ts";

export interface LearnerOptions {
  sql: Pool;
  vault: Pick<Vault, "open">;
  log: Logger;
  /** Ends a run after its current page. */
  stopping: AbortSignal;
  limits?: LearningLimits | undefined;
}

/** Learns the fields of events from stored ones, apart from ingest. Any number of servers may have one. */
export function createLearner({ sql, vault, log, stopping, limits = defaultLearningLimits }: LearnerOptions) {
  const learn = async (siteIds: readonly string[], waitMs: number | null, deadline: number): Promise<void> => {
    const budget = { payloads: limits.payloads, bytes: limits.bytes };
    let reached: ReadonlyMap<string, string> = new Map();
    for (let left = siteIds; left.length > 0 && !stopping.aborted && performance.now() < deadline; left = [...reached.keys()]) {
      const run = { vault, limits, budget, waits: waitMs !== null, reached };
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
      for (const siteId of siteIds)
        if (siteIds.length > 1) await learnOrSplit([siteId], deadline);
        else {
          log.warn({ err: error, siteId }, "a site's events could not be learned from and will be tried again");
          await letRest(sql, siteId);
        }
    }
  };

  return {
    /** Learns the new events of all sites. */
    async round(): Promise<void> {
      const deadline = performance.now() + limits.runMs;
      await enlistSites(sql, null);
      const due = await findDueSites(sql, limits, limits.restSeconds, limits.dueSites);
      for (let at = 0; at < due.length && performance.now() < deadline; at += limits.sites)
        await learnOrSplit(due.slice(at, at + limits.sites), deadline);
    },
    /** Learns the site's events until now, as far as `askMs` allows. Never rejects: a failed event is learned later. */
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

export type Learner = ReturnType<typeof createLearner>;

/** One run of learning: a round of the job, or a `catchUp`. */
export interface Run {
  vault: Pick<Vault, "open">;
  limits: LearningLimits;
  budget: Budget;
  /** Whether to wait for sites that another process is learning. */
  waits: boolean;
  /** The last event that was read of each site with more to read. */
  reached: ReadonlyMap<string, string>;
}

/**
 * Learns the next events of the sites, in a transaction that locks them. Answers the last event of each site with more to read. Learning an event again
 * changes nothing, so a process may die at any point.
 */
async function learnPage(sql: Sql, siteIds: readonly string[], run: Run): Promise<Map<string, string>> {
  const { limits, budget } = run;
  const held = await holdLearning(sql, siteIds, limits, run.waits ? "wait" : "skip");
  if (held.length === 0) return new Map();
  const rows = Math.ceil(limits.rows / held.length);
  const starts = held.map((site) => ({ site, after: startOf(site, run.reached.get(site.site_id)) }));
  const events = await readNewEvents(
    sql,
    starts.map(({ site, after }) => ({ site_id: site.site_id, after })),
    rows,
    isSpent(budget) ? limits.samples : rows,
  );
  if (events.length === 0 && !held.some((site) => site.overdue)) return new Map();
  const { kinds, added } = await readKinds(sql, events);
  const codecs = await readRowCodecsOfSites(
    sql,
    run.vault,
    held.map(({ site_id }) => site_id),
  );
  await learnPayloads(sql, choosePayloads(events, budget, limits), kinds, codecs);
  const { cursors, reached } = turnPage(starts, events, rows);
  await writeLearned(sql, [...kinds.values()], cursors);
  if (added > 0) await dropLongUnseenKinds(sql, siteIds, limits.kinds);
  return reached;
}

/** The number and bytes of payloads that the run may still read. */
export type Budget = Pick<LearningLimits, "payloads" | "bytes">;

export const isSpent = (budget: Budget): boolean => budget.payloads <= 0 || budget.bytes <= 0;

/**
 * Chooses the events whose payloads are read, and takes them off the budget. The newest of each name come first, and among those the shortest, so that one
 * site's many long payloads take nothing from the others.
 */
export function choosePayloads(events: readonly NewEvent[], budget: Budget, limits: LearningLimits): NewEvent[] {
  let bytes = Math.max(budget.bytes, limits.sampleBytes);
  const chosen = events
    .filter((event) => event.bytes !== null && event.bytes <= limits.payloadBytes)
    .toSorted((a, b) => a.newest - b.newest || (a.bytes ?? 0) - (b.bytes ?? 0))
    .filter((event, place) => place < budget.payloads || event.newest <= limits.samples)
    .filter((event) => (bytes -= event.bytes ?? 0) >= 0);
  budget.payloads -= chosen.length;
  budget.bytes = Math.min(budget.bytes, bytes);
  return chosen;
}
