import { isCollision, isDatabaseAway, retryCollisions, withTimeout } from "../transaction.ts";
import { createLane, type Lane, type LaneOptions } from "./lane.ts";

const collisionAttempts = 3;

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
      const outs = await withTimeout(options.run(items), limitMs);
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
    run: (items) => retryCollisions(() => runOnce(items), collisionAttempts),
  });
}

/** How many items one statement may carry, so that it ends well within its time however slow the database is; learnt from those before it. */
export interface BatchSize {
  readonly most: number;
  /** A statement with so many items has ended, well or not, after so long. */
  ended(items: number, ms: number, well: boolean): void;
}

/** Enough to be worth a statement, and few enough to find out with. */
const first = 64;
/** A database that needs long for any statement is not helped by smaller ones. */
const least = 8;

/** `aimMs`: what a statement should take at most; far less than it is given, as the next one may meet a slower database. */
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
