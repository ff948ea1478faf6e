import type { Sql } from "../../connect.ts";

export interface PollOutcome {
  /** Null when it went through. */
  problem: string | null;
  /** Seconds until the next. */
  nextIn: number;
}

/** Ends a poll that is still `owner`'s. What became due while it ran, new credentials say, stays due. */
export const finishTemplatePoll = async (sql: Sql, accountId: string, owner: string, { problem, nextIn }: PollOutcome): Promise<void> =>
  void (await sql`
    update template_poll set owner = null, lease_until = null, problem = ${problem},
      failures = ${problem === null ? sql`0` : sql`failures + 1`},
      last_at = ${problem === null ? sql`now()` : sql`last_at`},
      due_at = case when due_at > claimed_at then due_at else now() + make_interval(secs => ${nextIn}) end
    where account_id = ${accountId} and owner = ${owner}`);

/** Notes that the account's templates were just read on demand: the next poll is `nextIn` seconds away. */
export const noteTemplateSync = async (sql: Sql, accountId: string, nextIn: number): Promise<void> =>
  void (await sql`
    update template_poll set last_at = now(), failures = 0, problem = null, due_at = now() + make_interval(secs => ${nextIn})
    where account_id = ${accountId}`);
