import type { Sql } from "../../connect.ts";

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
