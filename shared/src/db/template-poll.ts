import { dueWork, type Lease } from "./owned.ts";
import { type RowOf, type Sql, columns, of, one } from "./statement.ts";

const claimedColumns = columns({
  account_id: of<string>(),
  /** Polls that failed since the last successful one. */
  failures: of<number>(),
});

/** An account whose templates are due to be read. */
export type ClaimedPoll = RowOf<typeof claimedColumns>;

const pollColumns = columns({ due_at: of<Date>(), last_at: of<Date | null>(), problem: of<string | null>() });

export type TemplatePollRow = RowOf<typeof pollColumns>;

/** The polls: each is of one account. */
export const polls = dueWork<ClaimedPoll>({
  table: "template_poll",
  key: "account_id",
  columns: claimedColumns,
  onClaim: ", claimed_at = now()",
});

export interface PollOutcome {
  /** The problem; null when the poll succeeded. */
  problem: string | null;
  /** Seconds until the next. */
  nextIn: number;
}

/** Ends a poll. An account that became due while it ran, by new credentials say, stays due. */
export const finishTemplatePoll = (sql: Sql, accountId: string, lease: Lease, { problem, nextIn }: PollOutcome): Promise<void> =>
  polls.release(
    sql,
    accountId,
    lease,
    sql`problem = ${problem}, failures = ${problem === null ? sql`0` : sql`failures + 1`}, last_at = ${problem === null ? sql`now()` : sql`last_at`},
      due_at = case when due_at > claimed_at then due_at else now() + make_interval(secs => ${nextIn}) end`,
  );

/** The state of the poll; undefined while the account has no platform. */
export const findTemplatePoll = (sql: Sql, accountId: string) =>
  one(sql<TemplatePollRow[]>`select ${pollColumns.read(sql)} from template_poll where account_id = ${accountId}`);

/** Records that the account's templates were just read on demand: the next poll is `nextIn` seconds away. */
export const noteTemplateSync = (sql: Sql, accountId: string, nextIn: number) => sql`
  update template_poll set last_at = now(), failures = 0, problem = null, due_at = now() + make_interval(secs => ${nextIn})
  where account_id = ${accountId}`;

/** Makes the account's next poll due soon: at the next tick, or so long after the last one. The pause after a failure stays. */
export const hurryTemplatePoll = async (sql: Sql, accountId: string, seconds = 60): Promise<void> =>
  void (await sql`
    update template_poll set due_at = case when owner is null then least(due_at, greatest(now(), coalesce(last_at, now()) + make_interval(secs => ${seconds})))
      -- The poll under way may have read past it.
      else now() + make_interval(secs => ${seconds}) end
    where account_id = ${accountId} and failures = 0`);
