import { createStatementLane } from "shared/db/batch/statement-lane";
import { settle as settleRows, type Settlement } from "shared/db/event/settle";
import { isDatabaseAway } from "shared/db/transaction";
import { within } from "shared/db/transaction";
import type { GatewayContext } from "../context.ts";

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
    for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
      try {
        return await lane.add(settlement);
      } catch (error) {
        if (!isDatabaseAway(error) || clock.monotonic() > end) throw error;
        log.warn({ err: error }, "results wait for the database");
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  };

  const settle = async (given: Settlement, giveUpAt: number): Promise<boolean> => {
    const settlement = { ...given };
    const recorded = record(settlement);
    open.add(recorded);
    recorded.catch((error: unknown) => log.error({ err: error }, "results could not be recorded")).finally(() => open.delete(recorded));
    try {
      return await within(Math.max(0, giveUpAt - clock.monotonic()), recorded);
    } catch (error) {
      settlement.next = [];
      throw error;
    }
  };
  const drain = async (ms: number): Promise<void> => {
    await within(ms, Promise.allSettled(open)).catch(() => undefined);
  };
  return Object.assign(settle, { drain });
}
