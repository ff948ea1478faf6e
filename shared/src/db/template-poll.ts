import type { Sql } from "./connect.ts";

export interface ClaimedPoll {
  account_id: string;
  /** Polls that failed since the last that went through. */
  failures: number;
}

/**
 * The account whose templates are due for the longest, ours for `leaseSeconds`; undefined when none is due. However many ask at once, each account is
 * handed out once; one whose owner died is due again when the lease is over.
 */
export async function claimTemplatePoll(sql: Sql, owner: string, leaseSeconds: number): Promise<ClaimedPoll | undefined> {
  const [row] = await sql<ClaimedPoll[]>`
    update template_poll set owner = ${owner}, claimed_at = now(), lease_until = now() + make_interval(secs => ${leaseSeconds})
    where account_id = (
      select account_id from template_poll
      where due_at <= now() and (lease_until is null or lease_until <= now())
      order by due_at limit 1 for update skip locked)
    returning account_id, failures`;
  return row;
}

export interface TemplatePollRow {
  due_at: Date;
  last_at: Date | null;
  problem: string | null;
}

/** Undefined while the account has no platform. */
export async function findTemplatePoll(sql: Sql, accountId: string): Promise<TemplatePollRow | undefined> {
  const [row] = await sql<TemplatePollRow[]>`select due_at, last_at, problem from template_poll where account_id = ${accountId}`;
  return row;
}

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

/** Has the account's templates read soon: at the next tick, or a minute after the last time. One that fails keeps its pause. */
export const hurryTemplatePoll = async (sql: Sql, accountId: string): Promise<void> =>
  void (await sql`
    update template_poll set due_at = case when owner is null then least(due_at, greatest(now(), coalesce(last_at, now()) + interval '1 minute'))
      -- The poll under way may have read past it.
      else now() + interval '1 minute' end
    where account_id = ${accountId} and failures = 0`);

/** Gives back what its owner will not finish: it stays due, for whoever asks next. */
export const releaseTemplatePoll = async (sql: Sql, accountId: string, owner: string): Promise<void> =>
  void (await sql`update template_poll set owner = null, lease_until = null where account_id = ${accountId} and owner = ${owner}`);
