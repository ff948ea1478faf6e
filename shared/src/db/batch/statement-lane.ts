import { isCollision, isDatabaseAway, withTimeout } from "../transaction.ts";
import { createLane, type Lane, type LaneOptions } from "./lane.ts";

const collisionAttempts = 3;

/**
 * A lane of statements with a time limit. Their size follows from how much the database did in a part of that time. A statement that collides with other
 * locks is tried again, and one with a bad row is split, so that an event's fault never harms another event.
 */
export function createStatementLane<In, Out>(options: Omit<LaneOptions<In, Out>, "splits"> & { limitMs: number }): Lane<In, Out> {
  const { limitMs } = options;
  const size = createBatchSize(options.maxItems, limitMs / 4);

  return createLane({
    ...options,
    get maxItems() {
      return size.most;
    },
    splits: (error) => isCollision(error) || !isDatabaseAway(error),
    run: async (items) => {
      for (let attempt = 1; ; attempt += 1) {
        const since = performance.now();
        try {
          const outs = await withTimeout(options.run(items), limitMs);
          size.ended(items.length, performance.now() - since, true);
          return outs;
        } catch (error) {
          size.ended(items.length, performance.now() - since, false);
          if (attempt === collisionAttempts || !isCollision(error)) throw error;
        }
      }
    },
  });
}

/** How many items one statement may carry to end well within its time; learned from earlier statements. */
export interface BatchSize {
  readonly most: number;
  /** Records how long a statement took, and whether it succeeded. */
  ended(items: number, ms: number, well: boolean): void;
}

/** The first size. */
const first = 64;
/** The least size: still smaller statements do not help a slow database. */
const least = 8;

/** `aimMs`: how long a statement should take at most; far less than its limit, as the database may become slower. */
export function createBatchSize(maxItems: number, aimMs: number): BatchSize {
  let most = Math.min(first, maxItems);
  return {
    get most() {
      return most;
    },
    ended: (items, ms, well) => {
      if (ms > aimMs) most = Math.max(least, Math.min(most, Math.floor((items * aimMs) / ms)));
      else if (well && items >= most && ms < aimMs / 2) most = Math.min(maxItems, most * 2);
    },
  };
}
