import type { Sql } from "../../connect.ts";

/** Has the account's templates read soon: at the next tick, or a minute after the last time. One that fails keeps its pause. */
export const hurryTemplatePoll = async (sql: Sql, accountId: string): Promise<void> =>
  void (await sql`
    update template_poll set due_at = case when owner is null then least(due_at, greatest(now(), coalesce(last_at, now()) + interval '1 minute'))
      -- The poll under way may have read past it.
      else now() + interval '1 minute' end
    where account_id = ${accountId} and failures = 0`);
