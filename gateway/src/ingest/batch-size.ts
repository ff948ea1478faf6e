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
