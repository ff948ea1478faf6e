import type { Sql } from "shared/db/connect";
import type { Pool } from "shared/db/connect";
import { inTransaction } from "shared/db/transaction";

/** Makes everything that there is of events `days` older than it is, as if the clock had gone on since: ids carry their time. */
export async function age(pool: Pool, days: number): Promise<void> {
  await inTransaction(pool, async (sql) => {
    for (const [table, columns] of Object.entries(dated)) {
      for (const column of columns) await sql`update ${sql(table)} set ${sql(column)} = ${older(sql, sql`${sql(column)}`, days)}`;
    }
    await sql`
      update event_kind set fields = (select coalesce(json_agg(field::jsonb || jsonb_build_object('last', ${older(sql, sql`(field->>'last')::uuid`, days)},
        'sampled', ${older(sql, sql`(field->>'sampled')::uuid`, days)})), '[]') from json_array_elements(fields) field)`;
    const by = sql`make_interval(days => ${days})`;
    await sql`update idempotency set expires_at = expires_at - ${by}`;
    await sql`update opt_out set told_at = told_at - ${by}, since = since - ${by}`;
    await sql`update site set deleted_at = deleted_at - ${by}`;
    await sql`update sandbox.message set at = at - ${by}`;
  });
}

const dated: Record<string, string[]> = {
  event: ["id"],
  event_payload: ["id"],
  notification: ["id", "event_id"],
  customer_order: ["last_event_id"],
  event_kind: ["last_event_id"],
  idempotency: ["event_id"],
  resend_job: ["id"],
};

const older = (sql: Sql, id: ReturnType<Sql>, days: number) =>
  sql`(left(uuid_at(uuid_time(${id}) - make_interval(days => ${days}))::text, 13) || substr((${id})::text, 14))::uuid`;
