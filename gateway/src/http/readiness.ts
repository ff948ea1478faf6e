import type { Sql } from "shared/db/connect";

/** An answer of the database counts for this long, so that a flood of questions costs no flood of statements. */
const FRESH_MS = 1_000;

/** Whether this gateway can serve. */
export interface Readiness {
  /** Set once, when it is told to stop. */
  stopping: boolean;
  /** Whether the database answers. Never takes longer than the limit, never throws. */
  databaseAnswers(): Promise<boolean>;
}

export const createReadiness = (sql: Sql, limitMs: number): Readiness => {
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
    stopping: false,
    databaseAnswers: async () => {
      if (performance.now() - last.at < FRESH_MS) return last.answered;
      // A question that hangs is the only one: the next to ask wait for it too, each within the limit.
      underWay ??= ask();
      return withTimeout(underWay, limitMs);
    },
  };
};

const withTimeout = async (question: Promise<boolean>, limitMs: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, limitMs, false);
  });
  return Promise.race([question, late]).finally(() => clearTimeout(timer));
};
