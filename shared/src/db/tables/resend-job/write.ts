import type { Sql } from "../../connect.ts";
import { resendJobColumns, type ResendJobRow } from "./row.ts";

export async function insertResendJob(
  sql: Sql,
  job: Pick<ResendJobRow, "id" | "account_id" | "created_by" | "filter" | "force" | "total" | "below">,
): Promise<void> {
  await sql`
    insert into resend_job (id, account_id, created_by, filter, force, total, below)
    values (${job.id}, ${job.account_id}, ${job.created_by}, ${JSON.stringify(job.filter)}::text::json, ${job.force}, ${job.total}, ${job.below})`;
}

/** The job that has waited longest, held until the transaction ends. */
export async function holdResendJob(sql: Sql): Promise<ResendJobRow | undefined> {
  const [row] = await sql<ResendJobRow[]>`
    select ${resendJobColumns(sql)} from resend_job where finished_at is null order by worked_at limit 1 for update skip locked`;
  return row;
}

export async function postponeResendJob(sql: Sql, id: string): Promise<void> {
  await sql`update resend_job set worked_at = clock_timestamp() where id = ${id}`;
}

/** Notes how far a job has come; `below` null: it is done. */
export async function advanceResendJob(
  sql: Sql,
  id: string,
  { resent, refused, below }: { resent: number; refused: number; below: string | null },
): Promise<void> {
  await sql`
    update resend_job set resent = resent + ${resent}, refused = refused + ${refused}, below = coalesce(${below}, below),
      worked_at = clock_timestamp(), finished_at = case when ${below}::uuid is null then now() end
    where id = ${id}`;
}
