import type { Fragment } from "postgres";
import type { Sql } from "./connect.ts";
import type { Columns } from "./table.ts";

/**
 * A claim on work that one process does at a time. It ends by the database's clock, so that the work of a process that died goes to the next one that
 * asks. Every write names the owner: one that lost its lease meanwhile changes nothing.
 */
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
export interface DueWork<Row> {
  /** The row that has been due for longest, or the one with that key: ours for the lease. Undefined when none is due. If several ask at once, each gets another row. */
  claim: (sql: Sql, lease: Lease, key?: string) => Promise<Row | undefined>;
  /** Writes `set` and extends the lease; false, without a change, when another has taken the row. */
  extend: (sql: Sql, key: string, lease: Lease, set?: Fragment) => Promise<boolean>;
  /** Writes `set`, such as `due_at`, and releases the row, unless another has taken it. */
  release: (sql: Sql, key: string, lease: Lease, set?: Fragment) => Promise<void>;
}

export interface WorkTable {
  table: "alert_watch" | "encryption" | "erasure" | "job_turn" | "outbox" | "reconcile" | "requested_event" | "template_poll";
  key: string;
  /** The columns that a claim answers. */
  columns: Pick<Columns<unknown>, "read">;
  /** SQL: the condition for rows that are not done; all of them by default. */
  isOpen?: string;
  /** SQL: the assignments that a claim also makes. */
  onClaim?: string;
}

export function dueWork<Row extends object>({
  table,
  key: keyColumn,
  columns: claimed,
  isOpen = "true",
  onClaim = "",
}: WorkTable): DueWork<Row> {
  const rowOf = (sql: Sql, key: string, owner: string) => sql`${sql(keyColumn)} = ${key} and owner = ${owner}`;
  return {
    async claim(sql, lease, key) {
      const [row] = await sql<Row[]>`
        update ${sql(table)} set owner = ${lease.owner}, lease_until = ${leaseEnd(sql, lease.seconds)} ${sql.unsafe(onClaim)}
        where ${sql(keyColumn)} = (
          select ${sql(keyColumn)} from ${sql(table)}
          where due_at <= now() and ${sql.unsafe(isFree)} and ${sql.unsafe(isOpen)}
            ${key === undefined ? sql`` : sql`and ${sql(keyColumn)} = ${key}`}
          order by due_at limit 1 for update skip locked)
        returning ${claimed.read(sql)}`;
      return row;
    },
    async extend(sql, key, lease, set) {
      const result = await sql`
        update ${sql(table)} set lease_until = ${leaseEnd(sql, lease.seconds)} ${set === undefined ? sql`` : sql`, ${set}`} where ${rowOf(sql, key, lease.owner)}`;
      return result.count > 0;
    },
    async release(sql, key, { owner }, set) {
      await sql`
        update ${sql(table)} set owner = null, lease_until = null ${set === undefined ? sql`` : sql`, ${set}`} where ${rowOf(sql, key, owner)}`;
    },
  };
}

const turns = dueWork<{ name: string }>({ table: "job_turn", key: "name", columns: { read: (sql) => sql`name` } });

/** A job that one server does for all servers, such as retention. */
export interface JobTurn {
  /** Takes the turn; false while another has it, or while the next is not due yet. */
  take(sql: Sql, lease: Lease): Promise<boolean>;
  /** Extends the turn; false when it has passed to another. */
  extend(sql: Sql, lease: Lease): Promise<boolean>;
  /** Ends the turn; the next is due in `nextIn` seconds. */
  end(sql: Sql, lease: Lease, nextIn: number): Promise<void>;
}

export const jobTurn = (name: string): JobTurn => ({
  async take(sql, lease) {
    await sql`insert into job_turn (name) values (${name}) on conflict do nothing`;
    return (await turns.claim(sql, lease, name)) !== undefined;
  },
  extend: (sql, lease) => turns.extend(sql, name, lease),
  end: (sql, lease, nextIn) => turns.release(sql, name, lease, sql`due_at = now() + make_interval(secs => ${nextIn})`),
});
