import type { Pool } from "./connect.ts";

const PARTITIONED = ["event", "event_payload", "notification"] as const;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const LOCK = 7_301_443_922;

/**
 * Makes the weekly partitions from the week of `now` on, as far as they are missing. Whoever runs calls it now and then.
 * One that cannot be made at the moment is left for the next call: rows go to the default partition meanwhile.
 */
export const makePartitions = async (sql: Pool, now: Date = new Date(), weeks = 5): Promise<void> => {
  for (const parent of PARTITIONED) {
    for (let week = 0; week < weeks; week += 1) {
      await makePartition(sql, parent, new Date(now.getTime() + week * WEEK_MS));
    }
  }
};

const makePartition = async (sql: Pool, parent: string, at: Date): Promise<void> => {
  try {
    await sql.begin(async (transaction) => {
      await transaction`select pg_advisory_xact_lock(${LOCK}::bigint)`;
      // Making one locks the parent: rather wait for the next call than make every insert queue behind us.
      await transaction`set local lock_timeout = '2s'`;
      await transaction`select make_week_partition(${parent}, ${at})`;
    });
  } catch (error) {
    if (!isPostponable(error)) throw error;
  }
};

// 55P03: the lock was not to be had; 23514: the default partition already holds rows of that week.
const isPostponable = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "55P03" || error.code === "23514");
