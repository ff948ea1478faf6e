import { newId } from "./ids.ts";
import { type Columns, type Fragment, type Sql, withTimeout } from "./statement.ts";

/*
 * Rows belong to one process at a time, their owner: for as long as the lease in the row itself lasts, or, for those that a gateway takes by the hundred, as
 * long as the gateway's own (event/gateway-lease.ts). A lease ends by the database's clock, so that the work of a process that died goes to the next one
 * that asks. Every write names the owner: one that lost its lease meanwhile changes nothing.
 */

/** A claim on rows. */
export interface Lease {
  /** The owner, new for each run of a program, or for each claim, where an earlier one of the same program must no longer count. */
  owner: string;
  seconds: number;
}

/** The end of a lease that is taken or extended now. */
export const leaseEnd = (sql: Sql, seconds: number) => sql`now() + make_interval(secs => ${seconds})`;

/** SQL: whether no process holds a row of work. */
export const isFree = "(lease_until is null or lease_until <= now())";

/** Work that falls due, one row each (`due_at`, `owner`, `lease_until`). */
export type DueWork<Row extends object> = ReturnType<typeof dueWork<Row>>;

export interface WorkTable {
  table:
    | "alert_watch"
    | "encryption"
    | "erasure"
    | "erasure_request"
    | "job_turn"
    | "operation"
    | "outbox"
    | "platform_health"
    | "reconcile"
    | "requested_event"
    | "template_poll";
  key: string;
  /** The columns that a claim answers. */
  columns: Pick<Columns<unknown>, "read">;
  /** SQL: the condition for rows that are not done; all of them by default. */
  isOpen?: string;
  /** SQL: which of the due rows comes first; by default the one that has been due for longest. */
  order?: string;
  /** SQL: the assignments that a claim also makes. */
  onClaim?: string;
}

export function dueWork<Row extends object>(of: WorkTable) {
  const { table, key: keyColumn, columns: claimed, isOpen = "true", order = "due_at", onClaim = "" } = of;
  const rowOf = (sql: Sql, key: string, owner: string) => sql`${sql(keyColumn)} = ${key} and owner = ${owner}`;
  const due = (sql: Sql) => sql`from ${sql(table)} where due_at <= now() and ${sql.unsafe(isFree)} and ${sql.unsafe(isOpen)}`;
  const work = {
    /** SQL: whether a claim would find a row. */
    isAnyDue: (sql: Sql): Fragment => sql`exists (select ${due(sql)})`,
    /** The row that has been due for longest, or the one with that key: ours for the lease. Undefined when none is due. If several ask at once, each gets another row. */
    claim: async (sql: Sql, lease: Lease, key?: string): Promise<Row | undefined> => {
      const [row] = await sql<Row[]>`
        update ${sql(table)} set owner = ${lease.owner}, lease_until = ${leaseEnd(sql, lease.seconds)} ${sql.unsafe(onClaim)}
        where ${sql(keyColumn)} = (
          select ${sql(keyColumn)} ${due(sql)}
            ${key === undefined ? sql`` : sql`and ${sql(keyColumn)} = ${key}`}
          order by ${sql.unsafe(order)} limit 1 for update skip locked)
        returning ${claimed.read(sql)}`;
      return row;
    },
    /** Writes `set` and extends the lease; false, without a change, when another has taken the row. */
    extend: async (sql: Sql, key: string, lease: Lease, set?: Fragment): Promise<boolean> => {
      const result = await sql`
        update ${sql(table)} set lease_until = ${leaseEnd(sql, lease.seconds)} ${set === undefined ? sql`` : sql`, ${set}`} where ${rowOf(sql, key, lease.owner)}`;
      return result.count > 0;
    },
    /** Writes `set`, such as `due_at`, and releases the row, unless another has taken it. */
    release: async (sql: Sql, key: string, { owner }: Lease, set?: Fragment): Promise<void> => {
      await sql`
        update ${sql(table)} set owner = null, lease_until = null ${set === undefined ? sql`` : sql`, ${set}`} where ${rowOf(sql, key, owner)}`;
    },
    /** Releases all rows of an owner that nobody works for any more; they are due as they were. Answers them. */
    releaseOf: async (sql: Sql, owner: string): Promise<readonly object[]> =>
      sql`update ${sql(table)} set owner = null, lease_until = null where owner = ${owner} returning ${sql(keyColumn)}`,
  };
  return {
    ...work,
    /** Releases the row, which is due again after `againIn` seconds. */
    rest: (sql: Sql, key: string, lease: Lease, againIn: number) =>
      work.release(sql, key, lease, sql`due_at = now() + make_interval(secs => ${againIn})`),
  };
}

/** How due rows are worked on. */
export interface Working<Row extends object> extends Pick<DueWork<Row>, "claim" | "releaseOf"> {
  /** The lease, which is longer than the work takes from one extension to the next. */
  seconds: number;
  /** The time of a claim in milliseconds; none by default. */
  limitMs?: number;
}

/**
 * Claims a row that is due (or the one with that key) under a lease of its own, and works on it; `work` releases it. Answers whether there was one. Whatever
 * fails, the claim included, the row goes back as soon as the database takes that, and not only when the lease ends.
 */
export async function workOnDue<Row extends object>(
  sql: Sql,
  { claim, releaseOf, seconds, limitMs }: Working<Row>,
  work: (row: Row, lease: Lease) => Promise<unknown>,
  key?: string,
): Promise<boolean> {
  const lease = { owner: newId(), seconds };
  try {
    const claimed = claim(sql, lease, key);
    const row = await (limitMs === undefined ? claimed : withTimeout(claimed, limitMs));
    if (row !== undefined) await work(row, lease);
    return row !== undefined;
  } catch (error) {
    void giveBackSoon(() => releaseOf(sql, lease.owner), seconds);
    throw error;
  }
}

/** A claim that was given up may still be carried out for this many seconds. */
const lateSeconds = 20;

/** Runs a statement that releases rows until it has found some, or their lease of so many seconds has ended by itself. Never throws. */
async function giveBackSoon(release: () => Promise<readonly unknown[]>, seconds: number): Promise<void> {
  for (let [tries, inVain] = [0, 0]; tries < seconds && inVain < lateSeconds; tries += 1) {
    const found = await release().catch(() => null);
    if (found !== null && found.length > 0) return;
    if (found !== null) inVain += 1;
    await new Promise((resolve) => setTimeout(resolve, 1_000).unref());
  }
}

/** Works on rows that are due until none is left, at most so many at a time. Throws the first error, once all that was begun has ended. */
export async function workOffDue<Row extends object>(
  sql: Sql,
  { atOnce, stopping, ...how }: Working<Row> & { atOnce: number; stopping: AbortSignal },
  work: (row: Row, lease: Lease) => Promise<unknown>,
): Promise<void> {
  const workers: Promise<void>[] = [];
  const errors: unknown[] = [];
  let open = 0;
  /** Works on one row after the other, and calls another as soon as it has found one. */
  const worker = async (): Promise<void> => {
    const workOne = (row: Row, lease: Lease): Promise<unknown> => {
      if (open < atOnce) call();
      return work(row, lease);
    };
    while (!stopping.aborted && (await workOnDue(sql, how, workOne)));
  };
  const call = (): void => {
    open += 1;
    workers.push(
      worker()
        .catch((error: unknown) => void errors.push(error))
        .finally(() => void (open -= 1)),
    );
  };
  call();
  for (const ended of workers) await ended;
  if (errors.length > 0) throw errors[0];
}

const turns = dueWork<{ name: string }>({ table: "job_turn", key: "name", columns: { read: (sql) => sql`name` } });

/** Does a job that one server does for all, such as retention, when its turn is due. `job` may extend the turn, and answers in how many seconds the next is due. */
export async function takeJobTurn(sql: Sql, name: string, seconds: number, job: (extend: () => Promise<boolean>) => Promise<number>) {
  await sql`insert into job_turn (name) values (${name}) on conflict do nothing`;
  const work = async (_: { name: string }, lease: Lease): Promise<void> => {
    const nextIn = await job(() => turns.extend(sql, name, lease));
    await turns.rest(sql, name, lease, nextIn);
  };
  await workOnDue(sql, { ...turns, seconds }, work, name);
}
