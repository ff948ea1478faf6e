import { setTimeout as sleep } from "node:timers/promises";
import { connect, type Sql } from "shared/db/connect";
import { isDatabaseAway, isCollision, withTimeout } from "shared/db/transaction";
import type { Logger } from "shared/server/logger";

/** A streaming replica that lists, searches and statistics may read. */
export interface Replica extends AsyncDisposable {
  /**
   * How to read for the account, and by how many seconds that may be behind; null: the primary is to be read, since the replica is away, too far behind, or
   * lacks something that the account's people or programs have changed.
   */
  forReader(accountId: string): Promise<{ sql: Sql; lag: number } | null>;
  /** Tells of a statement that failed there. Answers whether the primary may carry it out. */
  mayRepeat(error: unknown): boolean;
}

const lookMs = 1_000;
/** How long a look counts, and how long a failed one. */
const [countsMs, awayMs] = [3_000, 10_000];
/** Looks go on for so long after the last reader. */
const restMs = 60_000;
const answerMs = 2_000;
/** What is committed at one moment arrives within this time, where nothing is behind. */
const usualMs = 20;
/** A place in the log of PostgreSQL, and when the primary had reached it, in monotonic ms. */
interface Mark {
  place: bigint;
  at: number;
}

/** `mostLag`: the most seconds by which what people read may be behind. */
export function createReplica(given: { primary: Sql; url: string; log: Logger; mostLag?: number }): Replica {
  const { primary, url, log, mostLag = 30 } = given;
  const sql = connect(url, { applicationName: "tidings-admin-read", silentMs: 35_000 });
  let marks: Mark[] = [];
  let [lag, countsUntil, readAt] = [Infinity, 0, 0];
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    const at = performance.now();
    const before = lag;
    try {
      const [here] = await withTimeout(primary<[{ place: string }]>`select (pg_current_wal_flush_lsn() - '0/0')::text as place`, answerMs);
      marks = [...marks, { place: BigInt(here.place), at }].slice(-mostLag - 2);
      await sleep(usualMs);
      // Null on a server that is no replica.
      const [there] = await withTimeout(
        sql<[{ place: string | null }]>`
        select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end as place`,
        answerMs,
      );
      const replayed = BigInt(there.place ?? -1);
      const newest = marks.findLast(({ place }) => place <= replayed);
      const seconds = newest === undefined ? Infinity : (performance.now() - newest.at) / 1000;
      lag = seconds > mostLag ? Infinity : seconds;
      countsUntil = performance.now() + countsMs;
      if (lag === Infinity && before !== Infinity) log.warn("the replica is too far behind: the primary is read");
    } catch (error) {
      [lag, countsUntil] = [Infinity, performance.now() + awayMs];
      if (before !== Infinity) log.warn({ err: error }, "the replica does not answer: the primary is read");
    }
    clearTimeout(timer);
    if (performance.now() - readAt < restMs) timer = setTimeout(() => void lookOnce(), lookMs).unref();
  };
  const lookOnce = (): Promise<void> => (looking ??= look().finally(() => (looking = undefined)));
  /** The last change of the account by people or programs, each of which leaves an entry in the audit. */
  const changes = async (from: Sql, accountId: string): Promise<bigint> => {
    const [last] = await withTimeout(
      from<{ seq: string }[]>`select seq::text as seq from audit_entry where account_id = ${accountId} order by seq desc limit 1`.execute(),
      answerMs,
    );
    return BigInt(last?.seq ?? 0);
  };

  return {
    async forReader(accountId) {
      readAt = performance.now();
      if (readAt > countsUntil) await lookOnce();
      if (lag === Infinity) return null;
      const behind = changes(sql, accountId).catch((error: unknown) => (this.mayRepeat(error), -1n));
      const [here, there] = await Promise.all([changes(primary, accountId), behind]);
      return there < here ? null : { sql, lag };
    },
    mayRepeat(error) {
      const isAway = isDatabaseAway(error);
      // A query that stood in the way of the log was ended: the replica goes on.
      if (isAway && !isCollision(error)) [lag, countsUntil] = [Infinity, performance.now() + awayMs];
      return isAway;
    },
    async [Symbol.asyncDispose]() {
      readAt = -Infinity;
      clearTimeout(timer);
      await sql.end({ timeout: 1 });
    },
  };
}
