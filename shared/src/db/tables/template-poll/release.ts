import type { Sql } from "../../connect.ts";

/** Gives back what its owner will not finish: it stays due, for whoever asks next. */
export const releaseTemplatePoll = async (sql: Sql, accountId: string, owner: string): Promise<void> =>
  void (await sql`update template_poll set owner = null, lease_until = null where account_id = ${accountId} and owner = ${owner}`);
