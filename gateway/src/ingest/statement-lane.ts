import { isDatabaseAway } from "shared/db/is-database-away";
import { createLane, type Lane, type LaneOptions } from "shared/db/lane";
import { isCollision } from "shared/db/sql-state";
import { within } from "shared/db/within";
import { createBatchSize } from "./batch-size.ts";

const collisionTries = 3;

/**
 * A lane of statements: each bounded in time, and no larger than what the database has been able to do in a part of it; tried again when it collided
 * with another's locks, and split when a row of it cannot be right, so that one event's fault is never another's.
 */
export function createStatementLane<In, Out>(options: Omit<LaneOptions<In, Out>, "splits"> & { limitMs: number }): Lane<In, Out> {
  const { limitMs } = options;
  const size = createBatchSize(options.maxItems, limitMs / 4);

  const runOnce = async (items: In[]): Promise<Out[]> => {
    const since = performance.now();
    let well = false;
    try {
      const outs = await within(limitMs, options.run(items));
      well = true;
      return outs;
    } finally {
      size.ended(items.length, performance.now() - since, well);
    }
  };

  return createLane({
    ...options,
    get maxItems() {
      return size.most;
    },
    splits: (error) => isCollision(error) || !isDatabaseAway(error),
    run: async (items) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await runOnce(items);
        } catch (error) {
          if (!isCollision(error) || attempt === collisionTries) throw error;
        }
      }
    },
  });
}
