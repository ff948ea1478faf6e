import type { Sql } from "../../connect.ts";
import { names } from "./names.ts";
import type { PageResult, Person } from "./page.ts";

/**
 * Forgets what an account holds of the person beside its sites. Whoever opted out stays so: of the entry only the digest is left, by which the person is known
 * again and cannot be written to.
 */
export async function eraseOfAccount(
  sql: Sql,
  { pattern, encodedPattern }: Person,
  accountId: string,
  phoneHash: string,
): Promise<PageResult> {
  const optOuts = await sql`
    update opt_out set phone = null where account_id = ${accountId} and phone_hash = ${phoneHash} and active and phone is not null`;
  const lifted = await sql`delete from opt_out where account_id = ${accountId} and phone_hash = ${phoneHash} and not active`;
  const isNamed = names(sql, sql`filter::text`, pattern);
  const jobs = await sql`delete from resend_job where account_id = ${accountId} and finished_at is not null and ${isNamed}`;
  const subjects = await sql`
    update audit_entry set subject = 'erased' where account_id = ${accountId} and action = 'sandbox.markRead' and subject ~ ${encodedPattern}`;
  const open = await sql`select from resend_job where account_id = ${accountId} and ${isNamed}`;
  const counts = { opt_out: optOuts.count + lifted.count, resend_job: jobs.count, audit_entry: subjects.count };
  return { next: null, scanned: 0, counts, postponed: open.length };
}
