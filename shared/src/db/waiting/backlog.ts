import type { Sql } from "../connect.ts";

export interface BacklogRow {
  queued: number;
  scheduled: number;
  oldest_queued_seconds: number;
  per_second: number;
  limit_per_second: number | null;
}

/** What waits at the account's sites (or one), from an index alone. Messages of a held site are scheduled, whatever they wait for. */
export async function readBacklog(sql: Sql, accountId: string, siteId: string | null): Promise<BacklogRow | undefined> {
  const [row] = await sql<BacklogRow[]>`
    select coalesce(sum(w.queued), 0)::integer as queued, coalesce(sum(w.waiting - w.queued), 0)::integer as scheduled,
      coalesce(greatest(0, extract(epoch from now() - min(w.oldest))), 0)::integer as oldest_queued_seconds,
      (select coalesce(sum(c.count), 0) / 10.0 from send_count c
        where c.account_id = a.id and c.second >= date_trunc('second', now()) - interval '10 seconds' and c.second < date_trunc('second', now()))::double precision as per_second,
      a.messages_per_second as limit_per_second
    from account a left join site s on s.account_id = a.id ${siteId === null ? sql`` : sql`and s.id = ${siteId}`}
    left join lateral (
      select count(*) as waiting, count(*) filter (where queued_at <= now() and not s.hold_messages) as queued,
        min(queued_at) filter (where queued_at <= now() and not s.hold_messages) as oldest
      from waiting_message where site_id = s.id
    ) w on true
    where a.id = ${accountId} group by a.id`;
  return row;
}
