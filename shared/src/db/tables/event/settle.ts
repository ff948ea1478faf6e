import type { Sql } from "../../connect.ts";

/** What became of one message that was handed over, or was not. */
export interface NotificationResult {
  site_id: string;
  event_id: string;
  id: string;
  /** Which try this was; what an earlier one came to says nothing against a later one. */
  attempt: number;
  status: "sent" | "failed";
  /** True when the failure is our own word and not the platform's. */
  local: boolean;
  wa_message_id: string | null;
  error_code: string | null;
  error_reason: string | null;
  /** JSON: the platform's whole error. */
  error_detail: string | null;
}

/** An event whose messages the results and the next wave are. */
export interface EventProgress {
  site_id: string;
  id: string;
  owner: string;
  /** The answer; null while a wave is still to come: then the counts are not written, as a statement may arrive after the one that was sent after it. */
  chat: string | null;
  recipients_sent: number;
  recipients_failed: number;
}

export interface Settlement {
  results: NotificationResult[];
  /** The next wave: these are about to be sent. */
  next: { site_id: string; event_id: string; id: string }[];
  events: EventProgress[];
}

/**
 * Records results, marks the next wave and finishes events, in one statement and one commit. Idempotent. Answers the ids of the events that are still
 * their owner's. Of an event that another has taken over only what the platform said is recorded, merged into what callbacks have said in the
 * meantime (`merge_status`): neither our own failures, which the new owner may be about to prove wrong, nor a next wave, which is now the new owner's.
 */
export async function settle(sql: Sql, settlement: Settlement): Promise<Set<string>> {
  const { results, next, events } = settlement;
  const ids = [...results, ...next, ...events].map(({ id }) => id).toSorted();
  // All ids lie between these two, which spares the statement the partitions of all other weeks. And `status in` holds for every result: it lets
  // the planner expect few of them, which it then looks up by key; expecting a hundred, it reads the whole of a week that is still small.
  const [first, last] = [ids[0] ?? null, ids.at(-1) ?? null];
  const rows = await sql<{ id: string }[]>`
    with input as materialized (select ${JSON.stringify(settlement)}::text::json as settlement),
    held as (
      update event e set chat = coalesce(p.chat, e.chat),
        recipients_sent = case when p.chat is null then e.recipients_sent else p.recipients_sent end,
        recipients_failed = case when p.chat is null then e.recipients_failed else p.recipients_failed end,
        lease_until = case when p.chat is null then e.lease_until end
      from input, json_to_recordset(settlement->'events') as p(site_id uuid, id uuid, owner uuid, chat text, recipients_sent integer,
        recipients_failed integer)
      where e.site_id = p.site_id and e.id = p.id and e.owner = p.owner and e.id >= ${first}::uuid and e.id <= ${last}::uuid
      returning e.id
    ),
    result as materialized (
      select r.site_id, r.id, r.attempt, r.status, r.local, r.wa_message_id, r.error_code, r.error_reason, r.error_detail
      from input, json_to_recordset(settlement->'results') as r(site_id uuid, event_id uuid, id uuid, attempt integer, status notification_status,
        local boolean, wa_message_id text, error_code text, error_reason text, error_detail text)
      where r.status in ('sent', 'failed') and (not r.local or r.event_id in (select id from held))
      order by r.site_id, r.id
    ),
    applied as (
      update notification n set
        status = merge_status(n.status, n.local_failure, r.status, r.local),
        local_failure = r.local and (n.local_failure or n.status in ('queued', 'sending')),
        wa_message_id = coalesce(n.wa_message_id, r.wa_message_id),
        error_code = case when merge_status(n.status, n.local_failure, r.status, r.local) <> 'failed' then null
          when r.local and n.status not in ('queued', 'sending') then n.error_code else coalesce(r.error_code, n.error_code) end,
        error_reason = case when merge_status(n.status, n.local_failure, r.status, r.local) <> 'failed' then null
          when r.local and n.status not in ('queued', 'sending') then n.error_reason else coalesce(r.error_reason, n.error_reason) end,
        error_detail = case when merge_status(n.status, n.local_failure, r.status, r.local) <> 'failed' then null
          when r.local and n.status not in ('queued', 'sending') then n.error_detail else coalesce(r.error_detail, n.error_detail) end,
        sent_at = case when r.status = 'sent' then coalesce(n.sent_at, now()) else n.sent_at end,
        failed_at = case when r.status = 'failed' and merge_status(n.status, n.local_failure, r.status, r.local) = 'failed' then coalesce(n.failed_at, now())
          when not n.local_failure then n.failed_at end,
        in_doubt_since = null
      from result r
      where n.site_id = r.site_id and n.id = r.id and n.id >= ${first}::uuid and n.id <= ${last}::uuid
        and (r.status = 'sent' or r.attempt >= n.attempt)
    ),
    marked as (
      update notification n set status = 'sending'
      from input, json_to_recordset(settlement->'next') as w(site_id uuid, event_id uuid, id uuid)
      where n.site_id = w.site_id and n.id = w.id and n.id >= ${first}::uuid and n.id <= ${last}::uuid
        and n.status = 'queued' and w.event_id in (select id from held)
    )
    select id from held`;
  return new Set(rows.map(({ id }) => id));
}
