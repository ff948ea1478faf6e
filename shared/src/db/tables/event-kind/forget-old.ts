import type { Sql } from "../../connect.ts";
import { inTransaction } from "../../transaction.ts";
import { forgetSamples } from "./forget-samples.ts";

/** Forgets the site's samples whose payloads are gone, and the names whose last event is. No write where there is nothing of the kind. */
export async function forgetOldKinds(
  sql: Sql,
  { site_id, payloads_before, log_before }: { site_id: string; payloads_before: string; log_before: string },
): Promise<void> {
  const rows = await sql`
    select from event_kind k
    where site_id = ${site_id} and (last_event_id < ${log_before} or exists (
      select from json_array_elements(k.fields) field where (field->>'sampled')::uuid < ${payloads_before} and field->>'sample' is not null))
    limit 1`;
  if (rows.length === 0) return;
  await inTransaction(sql, async (transaction) => {
    await forgetSamples(transaction, [site_id], ({ sampled }) => sampled < payloads_before);
    await transaction`delete from event_kind where site_id = ${site_id} and last_event_id < ${log_before}`;
  });
}
