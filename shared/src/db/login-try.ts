import { type Fragment, type Sql, inTransaction } from "./statement.ts";

/** A count of wrong tries, and the most tries that are let through within a time. */
export interface TryCount {
  /** A SHA-256 digest. */
  key: Buffer;
  most: number;
  withinMinutes: number;
  /** Beyond `most`, tries go on after a pause that doubles with each, from a second to 15 minutes, instead of ending. */
  slows?: boolean;
}

/** A try that was counted, so that it can be taken back. */
export interface CountedTry {
  key: Buffer;
  at: string;
}

/**
 * Counts a try of each key before it is made, so that simultaneous tries at several servers cannot exceed a limit together. Answers the seconds to wait if
 * one key has reached its limit; a refused try counts nowhere. Also deletes some expired rows. Name the keys in the same order everywhere, the most
 * particular first.
 */
export async function takeTries(sql: Sql, counts: readonly TryCount[]): Promise<{ tries: CountedTry[] } | { waitSeconds: number }> {
  try {
    return await inTransaction(sql, async (transaction) => {
      const tries: CountedTry[] = [];
      for (const count of counts) tries.push(await takeTry(transaction, count));
      return { tries };
    });
  } catch (error) {
    if (error instanceof LimitReached) return { waitSeconds: await secondsToWait(sql, error.count) };
    throw error;
  }
}

/** Rolls back the tries that were counted before. */
class LimitReached extends Error {
  override readonly name = "LimitReached";
  readonly count: TryCount;
  constructor(count: TryCount) {
    super("the limit of tries is reached");
    this.count = count;
  }
}

const longestPauseSeconds = 900;

async function takeTry(sql: Sql, count: TryCount): Promise<CountedTry> {
  const { key, most, slows = false, withinMinutes } = count;
  const span = sql`make_interval(mins => ${withinMinutes}::integer)`;
  const recent = sql`array(select at from unnest(login_try.tries) at where at > clock_timestamp() - ${span} order by at)`;
  const [row] = await sql<{ at: string }[]>`
    with swept as (
      delete from login_try where key in (
        select key from login_try where key <> ${key} and expires_at < clock_timestamp() limit 20 for update skip locked
      )
    )
    insert into login_try (key, tries, expires_at) values (${key}, array[clock_timestamp()], clock_timestamp() + ${span})
    on conflict (key) do update set tries = ${recent} || clock_timestamp(), expires_at = excluded.expires_at
    where cardinality(${recent}) < ${most} ${slows ? sql`or (${recent})[cardinality(${recent})] + ${pause(sql, recent, most)} < clock_timestamp()` : sql``}
    returning tries[cardinality(tries)]::text as at`;
  if (row === undefined) throw new LimitReached(count);
  return { key, at: row.at };
}

/** The pause: a second after the `most`th try, then twice as long after each. */
const pause = (sql: Sql, recent: Fragment, most: number) =>
  sql`make_interval(secs => least(${longestPauseSeconds}, 2 ^ (cardinality(${recent}) - ${most})))`;

async function secondsToWait(sql: Sql, { key, most, withinMinutes, slows = false }: TryCount): Promise<number> {
  const recent = sql`array(select at from unnest(tries) at where at > clock_timestamp() - make_interval(mins => ${withinMinutes}::integer) order by at)`;
  const end = slows
    ? sql`(${recent})[cardinality(${recent})] + ${pause(sql, recent, most)}`
    : sql`(${recent})[cardinality(${recent}) - ${most - 1}] + make_interval(mins => ${withinMinutes}::integer)`;
  const [row] = await sql<{ seconds: number }[]>`
    select ceil(extract(epoch from ${end} - clock_timestamp()))::integer as seconds from login_try where key = ${key}`;
  return Math.max(1, row?.seconds ?? 1);
}

/** Removes a counted try, as if it had not been made. */
export const takeBackTry = (sql: Sql, { key, at }: CountedTry) =>
  sql`update login_try set tries = array_remove(tries, ${at}::text::timestamptz) where key = ${key}`;

export const forgetTries = (sql: Sql, key: Buffer) => sql`delete from login_try where key = ${key}`;
