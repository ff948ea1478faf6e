import { createStatementLane } from "shared/db/batch/statement-lane";
import { settle, type Settlement } from "shared/db/event/settle";
import { isDatabaseAway, withTimeout } from "shared/db/transaction";
import { type GatewayContext, step } from "../context.ts";

export type Settle = ReturnType<typeof createSettle>;

/** Records results. Those that arrive while a statement is under way share the next one and its commit; while the database is away they wait for it. */
export function createSettle(context: GatewayContext) {
  const { events, clock, config, log } = context;
  const lane = createStatementLane({
    run: (settlements: Settlement[]) => settle(events, settlements),
    maxItems: 250,
    keyOf: ({ event }) => event.id,
    groupOf: ({ event }) => event.site_id,
    atOnce: 2,
    limitMs: config.timeLimits.statementMs,
    insists: (error) => {
      const isWorthIt = isDatabaseAway(error);
      if (isWorthIt) log.warn({ err: error }, "results wait for the database");
      return isWorthIt;
    },
    onLost: (error) => log.error({ err: error }, "results could not be recorded"),
  });
  return {
    /**
     * Answers whether the event still belongs to its owner. Throws the database's error at `giveUpAt` (monotonic ms), so that the caller can answer: the
     * results are recorded all the same. No next wave is marked then, as nobody is left to send it.
     */
    async record(given: Settlement, giveUpAt: number): Promise<boolean> {
      const settlement = { ...given };
      try {
        const left = Math.max(0, giveUpAt - clock.monotonic());
        return await step(context, "settle", given.event.id, () => lane.add(settlement, left));
      } catch (error) {
        settlement.next = [];
        throw error;
      }
    },
    /** Resolves when nothing is left to record, or `ms` have passed. */
    drain: (ms: number): Promise<void> => withTimeout(lane.drained(), ms).catch(() => undefined),
  };
}
