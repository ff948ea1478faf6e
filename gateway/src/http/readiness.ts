import type { Sql } from "shared/db/connect";
import { withTimeout } from "shared/db/transaction";

export type Readiness = ReturnType<typeof createReadiness>;

/** An answer of the database counts for this long, so that a flood of checks costs no flood of statements. */
const freshMs = 1_000;

/** Whether this gateway can serve. */
export function createReadiness(sql: Sql, limitMs: number) {
  let underWay: Promise<boolean> | null = null;
  let last = { answered: false, at: -Infinity };

  const ask = async (): Promise<boolean> => {
    const answered = await sql`select 1`.then(
      () => true,
      () => false,
    );
    last = { answered, at: performance.now() };
    underWay = null;
    return answered;
  };

  return {
    /** Set once the gateway is told to stop. */
    stopping: false,
    /** Whether the database answers. Never takes longer than the limit, never throws. */
    databaseAnswers: async (): Promise<boolean> => {
      if (performance.now() - last.at < freshMs) return last.answered;
      // One statement at a time, also while it hangs: later checks wait for the same one, each within the limit.
      underWay ??= ask();
      return withTimeout(underWay, limitMs).catch(() => false);
    },
  };
}
