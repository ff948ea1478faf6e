import type { Sql } from "../../connect.ts";

/** All that one callback says about one notification. */
export interface StatusChange {
  site_id: string;
  id: string;
  wa_message_id: string | null;
  /** The furthest that the message is known to have come, apart from failing. */
  reached: "sent" | "delivered" | "read" | null;
  /** The attempt that failed: it says nothing about a later one. */
  failed_attempt: number | null;
  /** When, as ISO 8601. */
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  failed_at: string | null;
  error_code: string | null;
  error_reason: string | null;
  /** JSON: the platform's whole error. */
  error_detail: string | null;
}

export interface AppliedStatuses {
  /** How many of the notifications exist in this account. */
  known: number;
  /** How many of those said something new. */
  changed: number;
}

/**
 * Merges what the platform says into the log, in one statement for any number of changes, each of another notification. Repeats change
 * nothing, and the order in which callbacks arrive makes no difference: a status only moves up (`merge_status`), every status keeps the
 * earliest time reported for it, and the error shown is that of the earliest failure, as long as nothing better is known.
 */
export const applyStatuses = async (sql: Sql, accountId: string, changes: readonly StatusChange[]): Promise<AppliedStatuses> => {
  const [counts] = await sql<AppliedStatuses[]>`
    with input as materialized (
      select i.site_id, i.id, i.wa_message_id, i.reached, i.failed_attempt, i.sent_at, i.delivered_at, i.read_at, i.failed_at, i.error_code,
        i.error_reason, i.error_detail
      from json_to_recordset(${JSON.stringify(changes)}::text::json) as i(site_id uuid, id uuid, wa_message_id text, reached notification_status,
        failed_attempt integer, sent_at timestamptz, delivered_at timestamptz, read_at timestamptz, failed_at timestamptz, error_code text,
        error_reason text, error_detail text)
    ),
    -- Locked in the order of their keys, so that two callbacks never wait for each other; what is read here is then the latest.
    known as materialized (
      select n.site_id, n.id, n.status, n.local_failure, n.in_doubt_since, n.wa_message_id, n.error_code, n.error_reason, n.error_detail,
        n.sent_at, n.delivered_at, n.read_at, n.failed_at, coalesce(i.failed_attempt >= n.attempt, false) as failed
      from notification n join input i on n.site_id = i.site_id and n.id = i.id
      where n.account_id = ${accountId}
      order by n.site_id, n.id
      for no key update of n
    ),
    word as (
      select k.site_id, k.id, greatest(i.reached, case when k.failed then 'failed'::notification_status end) as said,
        k.failed and (k.local_failure or k.failed_at is null or i.failed_at < k.failed_at) as explains
      from known k join input i on i.site_id = k.site_id and i.id = k.id
    ),
    merged as (
      select k.site_id, k.id, m.status, coalesce(k.wa_message_id, i.wa_message_id) as wa_message_id,
        case when m.status = 'failed' then case when w.explains then i.error_code else k.error_code end end as error_code,
        case when m.status = 'failed' then case when w.explains then i.error_reason else k.error_reason end end as error_reason,
        case when m.status = 'failed' then case when w.explains then i.error_detail else k.error_detail end end as error_detail,
        least(k.sent_at, i.sent_at) as sent_at, least(k.delivered_at, i.delivered_at) as delivered_at, least(k.read_at, i.read_at) as read_at,
        least(case when not k.local_failure then k.failed_at end, case when k.failed then i.failed_at end) as failed_at
      from known k
      join input i on i.site_id = k.site_id and i.id = k.id
      join word w on w.site_id = k.site_id and w.id = k.id
      cross join lateral (select merge_status(k.status, k.local_failure, w.said, false) as status) m
      where w.said is not null
    ),
    changed as (
      update notification n set status = m.status, local_failure = false, in_doubt_since = null, wa_message_id = m.wa_message_id,
        error_code = m.error_code, error_reason = m.error_reason, error_detail = m.error_detail,
        sent_at = m.sent_at, delivered_at = m.delivered_at, read_at = m.read_at, failed_at = m.failed_at
      from merged m join known k on k.site_id = m.site_id and k.id = m.id
      where n.site_id = m.site_id and n.id = m.id
        and (k.local_failure or k.in_doubt_since is not null
          or (k.status, k.wa_message_id, k.error_code, k.error_reason, k.error_detail, k.sent_at, k.delivered_at, k.read_at, k.failed_at)
            is distinct from
            (m.status, m.wa_message_id, m.error_code, m.error_reason, m.error_detail, m.sent_at, m.delivered_at, m.read_at, m.failed_at))
      returning 1
    )
    select (select count(*) from known)::integer as known, (select count(*) from changed)::integer as changed`;
  return counts ?? { known: 0, changed: 0 };
};
