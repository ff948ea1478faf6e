import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "shared/db/connect";
import { type Sql, isDatabaseAway, isCollision, withTimeout } from "shared/db/statement";
import type { Logger } from "shared/server/logger";

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

/** A streaming replica that lists, searches and statistics may read. `mostLag`: the most seconds by which what people read may be behind. */
export function createReplica(given: { primary: Sql; url: string; log: Logger; mostLag?: number }) {
  const { primary } = given;
  const sql = connect(given.url, { applicationName: "tidings-admin-read", silentMs: 35_000 });
  const looks = createLooks({ mostLag: 30, ...given, sql });
  /** Tells of a statement that failed there. Answers whether the primary may carry it out. */
  const mayRepeat = (error: unknown): boolean => {
    const isAway = isDatabaseAway(error);
    // A query that stood in the way of the log was ended: the replica goes on.
    if (isAway && !isCollision(error)) looks.away(error);
    return isAway;
  };
  return {
    /**
     * How to read for the account, and by how many seconds that may be behind; null: the primary is to be read, since the replica is away, too far behind, or
     * lacks something that the account's people or programs have changed.
     */
    async forReader(accountId: string) {
      const lag = await looks.lag();
      if (lag === Infinity) return null;
      const there = lastChange(sql, accountId).catch((error: unknown) => (mayRepeat(error), -1n));
      const [here, known] = await Promise.all([lastChange(primary, accountId), there]);
      return known < here ? null : { sql, lag };
    },
    mayRepeat,
    async [Symbol.asyncDispose]() {
      looks.stop();
      await sql.end({ timeout: 1 });
    },
  };
}

export type Replica = ReturnType<typeof createReplica>;

/** The last change of the account by people or programs: each leaves an entry in the audit. */
async function lastChange(sql: Sql, accountId: string): Promise<bigint> {
  const asked = sql<{ seq: string }[]>`select seq::text as seq from audit_entry where account_id = ${accountId} order by seq desc limit 1`;
  return BigInt((await withTimeout(asked.execute(), answerMs))[0]?.seq ?? 0);
}

/** Compares the two servers' places in the log each second while somebody reads; `lag` is Infinity where the replica is not to be read. */
function createLooks({ primary, sql, log, mostLag }: { primary: Sql; sql: Sql; log: Logger; mostLag: number }) {
  let marks: Mark[] = [];
  let [lag, countsUntil, readAt] = [Infinity, 0, 0];
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const note = (seconds: number, forMs: number, why: object, text: string): void => {
    if (seconds === Infinity && lag !== Infinity) log.warn(why, `${text}: the primary is read`);
    [lag, countsUntil] = [seconds, performance.now() + forMs];
  };
  const away = (error: unknown): void => note(Infinity, awayMs, { err: error }, "the replica does not answer");
  const compare = async (): Promise<void> => {
    const at = performance.now();
    const [here] = await withTimeout(primary<[{ place: string }]>`select (pg_current_wal_flush_lsn() - '0/0')::text as place`, answerMs);
    marks = [...marks, { place: BigInt(here.place), at }].slice(-mostLag - 2);
    await sleep(usualMs);
    // Null on a server that is no replica.
    const asked = sql<[{ place: string | null }]>`
      select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end as place`;
    const replayed = BigInt((await withTimeout(asked, answerMs))[0].place ?? -1);
    const newest = marks.findLast(({ place }) => place <= replayed);
    const seconds = newest === undefined ? Infinity : (performance.now() - newest.at) / 1000;
    note(seconds > mostLag ? Infinity : seconds, countsMs, {}, "the replica is too far behind");
  };
  const look = (): Promise<void> =>
    (looking ??= compare()
      .catch(away)
      .finally(() => {
        looking = undefined;
        clearTimeout(timer);
        if (performance.now() - readAt < restMs) timer = setTimeout(() => void look(), lookMs).unref();
      }));
  return {
    away,
    async lag(): Promise<number> {
      readAt = performance.now();
      if (readAt > countsUntil) await look();
      return lag;
    },
    stop(): void {
      readAt = -Infinity;
      clearTimeout(timer);
    },
  };
}
