import type { Sql } from "../../connect.ts";

/** What became of one message that was handed over, or was not. */
export interface NotificationResult {
  site_id: string;
  id: string;
  status: "sent" | "failed";
  /** True when the failure is our own word and not the platform's. */
  local: boolean;
  wa_message_id: string | null;
  error_code: string | null;
  error_reason: string | null;
  /** JSON: the platform's whole error. */
  error_detail: string | null;
}

export interface EventFinish {
  site_id: string;
  id: string;
  owner: string;
  chat: string;
  recipients_sent: number;
  recipients_failed: number;
}

export interface Settlement {
  results: NotificationResult[];
  /** The next wave: these are about to be sent. */
  next: { site_id: string; id: string }[];
  finished: EventFinish[];
}

/**
 * Records results, marks the next wave and finishes events, in one statement and one commit. Idempotent. A result merges into what callbacks have
 * said in the meantime (`merge_status`); an event that another owner has taken over is not finished.
 */
export async function settle(sql: Sql, settlement: Settlement): Promise<void> {
  await sql`
    with input as materialized (select ${JSON.stringify(settlement)}::text::json as settlement),
    result as materialized (
      select r.site_id, r.id, r.status, r.local, r.wa_message_id, r.error_code, r.error_reason, r.error_detail
      from input, json_to_recordset(settlement->'results') as r(site_id uuid, id uuid, status notification_status, local boolean, wa_message_id text,
        error_code text, error_reason text, error_detail text)
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
      where n.site_id = r.site_id and n.id = r.id
    ),
    marked as (
      update notification n set status = 'sending'
      from input, json_to_recordset(settlement->'next') as w(site_id uuid, id uuid)
      where n.site_id = w.site_id and n.id = w.id and n.status = 'queued'
    )
    update event e set chat = f.chat, recipients_sent = f.recipients_sent, recipients_failed = f.recipients_failed, lease_until = null
    from input, json_to_recordset(settlement->'finished') as f(site_id uuid, id uuid, owner uuid, chat text, recipients_sent integer,
      recipients_failed integer)
    where e.site_id = f.site_id and e.id = f.id and e.owner = f.owner and e.lease_until is not null`;
}
