import fullDisk from "../core/full-disk.json" with { type: "json" };
import { type Sql, codeOf, withTimeout } from "./statement.ts";

export type Readiness = ReturnType<typeof createReadiness>;

/** An answer of the database counts for this long, so that a flood of checks costs no flood of statements. */
const freshMs = 1_000;
/** How long the disk counts as having room. */
const roomMs = 10_000;

/** Whether this server can serve. `tell`: takes the one line about a disk that becomes full, or has room again. */
export function createReadiness(sql: Sql, limitMs: number, tell: (level: "warn" | "info", text: string) => void = () => undefined) {
  type State = "ok" | "full" | "away";
  let underWay: Promise<State> | null = null;
  let last: { state: State; at: number } = { state: "away", at: -Infinity };
  let hasRoomUntil = -Infinity;
  let isFull = false;

  const setFull = (full: boolean): void => {
    if (full === isFull) return;
    isFull = full;
    if (full) tell("warn", fullDisk.isFull);
    else tell("info", fullDisk.hasRoom);
  };
  const check = async (): Promise<State> => {
    if (performance.now() < hasRoomUntil) await sql`select 1`;
    else {
      await spill(sql);
      hasRoomUntil = performance.now() + roomMs;
      setFull(false);
    }
    return "ok";
  };
  const ask = async (): Promise<State> => {
    const state = await check().catch((error: unknown): State => (codeOf(error) === fullDisk.code ? "full" : "away"));
    if (state === "full") setFull(true);
    last = { state, at: performance.now() };
    underWay = null;
    return state;
  };

  return {
    /** Set once the server is told to stop. */
    stopping: false,
    /** Whether the database answers, and has room. Never takes longer than the limit, never throws. */
    database: async (): Promise<State> => {
      if (performance.now() - last.at < freshMs) return last.state;
      // One statement at a time, also while it hangs: later checks wait for the same one, each within the limit.
      underWay ??= ask();
      return withTimeout(underWay, limitMs).catch(() => "away" as const);
    },
    /** A statement has failed with this code. */
    failed: (code: string | undefined): void => {
      if (code !== fullDisk.code) return;
      [last, hasRoomUntil] = [{ state: "full", at: performance.now() }, -Infinity];
      setFull(true);
    },
  };
}

/** Writes most of a megabyte to the database's disk, which needs no right, and leaves nothing there: a sort that begins once it has less memory than rows. */
const spill = (sql: Sql) => sql`
  select count(*) from (select set_config('work_mem', '64kB', true) as set offset 0) memory
  cross join lateral (select memory.set || repeat(n::text, 20) as filling from generate_series(1, 8000) n order by filling offset 0) sorted`;
