import { hasArrived, type NotificationStatus, notificationStatuses, type ReportedStatus, statusesIn } from "../../core/message.ts";
import type { Sql } from "../connect.ts";
import { columns, of, type RowOf } from "../table.ts";
import { tellStatuses } from "../webhook/tell.ts";

/** SQL: the message has one of these statuses. `notification` is the statement's name of the table. */
const hasStatus =
  (statuses: readonly NotificationStatus[]) =>
  (notification: string): string =>
    `${notification}.status in (${statuses.map((status) => `'${status}'`).join(", ")})`;

const isIn = (...phases: Parameters<typeof statusesIn>) => hasStatus(statusesIn(...phases));

/** SQL: whether a message is open: neither handed to the platform nor failed before. */
export const isOpen = isIn("open");
/** SQL: whether a message is open, or waits for its time. */
export const isUnsent = isIn("waiting", "open");
export const isDropped = isIn("dropped");
export const isAccepted = isIn("accepted");
export const isArrived = hasStatus(notificationStatuses.filter(hasArrived));
/** SQL: whether the platform has accepted a message, or never will. */
export const isDecided = isIn("accepted", "closed");

/** SQL: whether no other attempt stands for this one. Lists and counts show a message once, as its newest attempt. */
export const isNewest = (notification: string): string => `${notification}.resent_as is null`;

/** SQL: whether the queue has a message, which then does not leave with its event. */
export const isQueued = (notification: string): string =>
  `exists (select from waiting_message w where w.site_id = ${notification}.site_id and w.id = ${notification}.id)`;

const changeColumns = columns({
  site_id: of<string>({ sqlType: "uuid" }),
  id: of<string>({ sqlType: "uuid" }),
  wa_message_id: of<string | null>(),
  /** The highest status that was reported, failures aside. */
  reached: of<Exclude<ReportedStatus, "failed"> | null>({ sqlType: "notification_status" }),
  /** The attempt that failed; later attempts are unaffected. */
  failed_attempt: of<number | null>({ sqlType: "integer" }),
  /** The time of each status, as ISO 8601. */
  sent_at: of<string | null>({ sqlType: "timestamptz" }),
  delivered_at: of<string | null>({ sqlType: "timestamptz" }),
  read_at: of<string | null>({ sqlType: "timestamptz" }),
  failed_at: of<string | null>({ sqlType: "timestamptz" }),
  error_code: of<string | null>(),
  error_reason: of<string | null>(),
  /** JSON: the platform's whole error. */
  error_detail: of<string | null>(),
});

/** The report of one callback about one notification. */
export type StatusChange = RowOf<typeof changeColumns>;

/** How many rows changed, and how many messages have reached a status for the first time; `delivered`: the seconds since the event of each. */
export interface Applied {
  changed: number;
  delivered: number[];
  read: number;
  failed: number;
}

/**
 * Merges reports of the platform into the log in one statement, each of another notification. Repeats and the order of
 * arrival make no difference: a status only moves up (`merge_status`), each status keeps its earliest time, and the error is that of the earliest failure,
 * unless something better is known. Messages that the statistics may have counted already are recorded for `countDays`. The account's endpoints are told,
 * if it has some.
 */
export async function applyStatuses(
  sql: Sql,
  { id: accountId, has_webhooks: hasWebhooks }: { id: string; has_webhooks: boolean },
  changes: readonly StatusChange[],
): Promise<Applied> {
  const ids = changes.map(({ id }) => id).toSorted();
  const sites = [...new Set(changes.map(({ site_id }) => site_id))];
  const { reported, status, explains } = rules(sql);
  // The rows are picked by lists and joined by text: a join on the key itself prunes partitions row by row, and PostgreSQL 18 (seen in 18.4) can
  // crash when such a plan meets a row that somebody else has just changed.
  const [row] = await sql<Applied[]>`
    with changed as (update notification n set
      status = ${status}, local_failure = false, in_doubt_since = null, wa_message_id = coalesce(n.wa_message_id, i.wa_message_id),
      error_code = case when ${status} = 'failed' then case when ${explains} then i.error_code else n.error_code end end,
      error_reason = case when ${status} = 'failed' then case when ${explains} then i.error_reason else n.error_reason end end,
      error_detail = case when ${status} = 'failed' then case when ${explains} then i.error_detail else n.error_detail end end,
      sent_at = least(n.sent_at, i.sent_at), delivered_at = least(n.delivered_at, i.delivered_at), read_at = least(n.read_at, i.read_at),
      failed_at = least(case when not n.local_failure then n.failed_at end, case when i.failed_attempt >= n.attempt then i.failed_at end)
    from json_to_recordset(${JSON.stringify(changes)}::text::json) as i(${sql.unsafe(changeColumns.typed)})
    where n.account_id = ${accountId} and n.site_id = any(${sites}::uuid[]) and n.id = any(${ids}::uuid[])
      and n.id >= ${ids[0] ?? null}::uuid and n.id <= ${ids.at(-1) ?? null}::uuid
      and i.site_id::text || i.id::text = n.site_id::text || n.id::text
      and ${reported} is not null
      and (n.local_failure or n.in_doubt_since is not null or (n.wa_message_id is null and i.wa_message_id is not null)
        or ${status} <> n.status or ${explains}
        or i.sent_at < coalesce(n.sent_at, 'infinity') or i.delivered_at < coalesce(n.delivered_at, 'infinity')
        or i.read_at < coalesce(n.read_at, 'infinity'))
      returning n.site_id, n.event_id, n.id, n.status, n.delivered_at = i.delivered_at as is_delivered, n.read_at = i.read_at as is_read,
        n.status = 'failed' and n.failed_at = i.failed_at as is_failed, i.sent_at, i.delivered_at, i.read_at, i.failed_at
    ),
    ${hasWebhooks ? sql`told as (${sql.unsafe(tellChanged)}),` : sql``}
    late as (${sql.unsafe(noteLateOf("changed"))})
    select count(*)::integer as changed, count(*) filter (where is_read)::integer as read, count(*) filter (where is_failed)::integer as failed,
      coalesce(json_agg(extract(epoch from delivered_at - uuid_time(event_id))::double precision) filter (where is_delivered), '[]') as delivered
    from changed`;
  return row ?? { changed: 0, delivered: [], read: 0, failed: 0 };
}

const tellChanged = tellStatuses(`
  select c.site_id, c.event_id, c.id, t.type, t.at from changed c cross join lateral (values
    ('message.sent', c.sent_at), ('message.delivered', c.delivered_at), ('message.read', c.read_at),
    ('message.failed', case when c.status = 'failed' then c.failed_at end)) as t(type, at)
  where t.at is not null`);

/** SQL: `noteLate` for the rows of a part of the same statement. */
export const noteLateOf = (changed: string): string => `
  insert into notification_late (site_id, at)
  select distinct site_id, date_bin('15 minutes', uuid_time(id), 'epoch') from ${changed} where id < uuid_at(now() - interval '23 hours')`;

/** Notes messages whose status changed so late that the statistics may have counted them already. */
export async function noteLate(sql: Sql, messages: readonly { site_id: string; id: string }[]): Promise<void> {
  if (messages.length === 0) return;
  await sql`
    insert into notification_late (site_id, at)
    select distinct m.site_id, date_bin('15 minutes', uuid_time(m.id), 'epoch')
    from unnest(${messages.map(({ site_id }) => site_id)}::uuid[], ${messages.map(({ id }) => id)}::uuid[]) as m(site_id, id)
    where m.id < uuid_at(now() - interval '23 hours')`;
}

function rules(sql: Sql) {
  /** The reported status; null when only an earlier attempt failed. */
  const reported = sql`greatest(i.reached, case when i.failed_attempt >= n.attempt then 'failed'::notification_status end)`;
  const status = sql`merge_status(n.status, n.local_failure, ${reported}, false)`;
  /** SQL: whether the log shows this failure. */
  const explains = sql`(i.failed_attempt >= n.attempt and (n.local_failure or n.failed_at is null or i.failed_at < n.failed_at))`;
  return { reported, status, explains };
}
