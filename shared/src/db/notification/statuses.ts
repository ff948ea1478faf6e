import {
  dropStatuses,
  hasArrived,
  type NotificationStatus,
  notificationStatuses,
  type Pricing,
  type ReportedStatus,
  statusesIn,
} from "../../core/message.ts";
import { learnUsers } from "../platform-user.ts";
import { type Fragment, type RowOf, type Sql, columns, of } from "../statement.ts";
import { insertTurns } from "../waiting/turns.ts";
import { tellStatuses } from "../webhook/tell.ts";
import { countPrices } from "./price.ts";

/** SQL: the message has one of these statuses. `notification` is the statement's name of the table. */
const hasStatus = (statuses: readonly NotificationStatus[]) => (notification: string) =>
  `${notification}.status in (${statuses.map((status) => `'${status}'`).join(", ")})`;

const isIn = (...phases: Parameters<typeof statusesIn>) => hasStatus(statusesIn(...phases));

/** SQL: whether a message of `kind.owner` failed then or later, or got another code: an index has all that is read of it. */
export const failedSince = (sql: Sql, f: "f" | "notification", from: Date | string) =>
  sql`${sql(f)}.site_id = kind.owner and ${sql(f)}.error_code is not null and coalesce(${sql(f)}.failed_at, uuid_time(${sql(f)}.id)) >= ${from}::timestamptz`;

/** SQL: whether a message is open: neither handed to the platform nor failed before. */
export const isOpen = isIn("open");
/** SQL: whether a message is open, or waits for its time. */
export const isUnsent = isIn("waiting", "open");
export const isDropped = isIn("dropped");
/** SQL: the same of a message with an error code, which an index has beside the code. */
export const hasDropCode = (notification: string) => `${notification}.error_code = any('{${Object.keys(dropStatuses).join(",")}}'::text[])`;
export const isAccepted = isIn("accepted");
export const isArrived = hasStatus(notificationStatuses.filter(hasArrived));
/** SQL: whether the platform has accepted a message, or never will. */
export const isDecided = isIn("accepted", "closed");

/** SQL: whether no other attempt stands for this one. Lists and counts show a message once, as its newest attempt. */
export const isNewest = (notification: string): string => `${notification}.resent_as is null`;

/** SQL: whether the queue has a message, which then does not leave with its event. */
export const isQueued = (notification: string): string =>
  `exists (select from waiting_message w where w.site_id = ${notification}.site_id and w.id = ${notification}.id)`;

/** SQL: whether a message's template is marketing by its category of now. */
export const isMarketing = (notification: string): string =>
  `coalesce((select upper(t.category) = 'MARKETING' from template t where t.id = ${notification}.template_id), false)`;

const changeColumns = columns({
  ...of.each(of<string>({ sqlType: "uuid" }), "site_id", "id"),
  wa_message_id: of<string | null>(),
  /** The highest status that was reported, failures aside. */
  reached: of<Exclude<ReportedStatus, "failed"> | null>({ sqlType: "notification_status" }),
  /** The last attempt that was reported, failures aside. */
  reached_attempt: of<number | null>({ sqlType: "integer" }),
  /** The attempt that failed; later attempts are unaffected. */
  failed_attempt: of<number | null>({ sqlType: "integer" }),
  /** The time of each status, as ISO 8601. */
  ...of.each(of<string | null>({ sqlType: "timestamptz" }), "sent_at", "delivered_at", "read_at", "failed_at"),
  ...of.each(of<string | null>(), "error_code", "error_reason"),
  /** JSON: the platform's whole error. */
  error_detail: of<string | null>(),
  /** For how many seconds the message is to wait after this failure, and at most, and the digest of its recipient; null: it has failed for good. */
  ...of.each(of<number | null>({ sqlType: "integer" }), "hold_seconds", "longest_hold"),
  phone_hash: of<string | null>(),
  /** Until when it waits at most, and the digests by which other events cancel or replace it. */
  expires_at: of<string | null>({ sqlType: "timestamptz" }),
  ...of.each(of<string | null>(), "cancel_key", "restart_key"),
  pricing: of<Pricing | null>({ sqlType: "jsonb" }),
  /** The country of the recipient (ISO 3166-1 alpha-2); given with the price. */
  country: of<string | null>(),
  /** The digest of the platform's id for the recipient, and of the phone that it reports on. */
  ...of.each(of<string | null>(), "user_hash", "user_phone_hash"),
});

type Change = RowOf<typeof changeColumns>;
/** The report of one callback about one notification; what it does not tell may be absent. */
export type StatusChange = Pick<Change, "site_id" | "id" | "wa_message_id" | "error_reason" | "error_detail"> & Partial<Change>;

/** A user id that a callback names beside a phone, whose own opt-outs are still kept under the id alone. */
export type RevealedUser = Record<"user_hash" | "phone_hash" | "site_id" | "message_id", string>;

/** How many rows changed, their events, and how many messages have reached a status for the first time; `delivered`: the seconds since the event of each. */
export interface Applied {
  changed: number;
  events: string[];
  delivered: number[];
  read: number;
  failed: number;
  /** Whether a message was charged in another category than its template is known to have. */
  differs: boolean;
}

/**
 * Merges reports of the platform into the log in one statement, each of another notification. Repeats and the order of
 * arrival make no difference: a status only moves up (`merge_status`), each status keeps its earliest time, and the error is that of the earliest failure,
 * unless something better is known. A failure that passes queues its message again. Messages that the statistics may have counted already are recorded for
 * `countDays`, prices are counted, and user ids learnt. What was in doubt waits no longer. The account's endpoints are told, if it has some.
 */
export async function applyStatuses(
  sql: Sql,
  { id: accountId, has_webhooks: hasWebhooks }: { id: string; has_webhooks: boolean },
  changes: readonly StatusChange[],
): Promise<Applied & { revealed: RevealedUser[] }> {
  const ids = changes.map(({ id }) => id).toSorted();
  const sites = [...new Set(changes.map(({ site_id }) => site_id))];
  const holds = changes.some(({ hold_seconds }) => hold_seconds != null);
  const { reported, status, explains, held } = rules(sql, holds);
  const heldUntil = holds ? sql`(select due_at from hold where hold.id = n.id)` : sql`null::timestamptz`;
  const given = sql`json_to_recordset(${JSON.stringify(changes)}::text::json) as i(${sql.unsafe(changeColumns.typed)})`;
  // The rows are picked by lists and joined by text: a join on the key itself prunes partitions row by row, and PostgreSQL 18 (seen in 18.4) can
  // crash when such a plan meets a row that somebody else has just changed.
  const theirs = sql`n.account_id = ${accountId} and n.site_id = any(${sites}::uuid[]) and n.id = any(${ids}::uuid[])
      and n.id >= ${ids[0] ?? null}::uuid and n.id <= ${ids.at(-1) ?? null}::uuid and i.site_id::text || i.id::text = n.site_id::text || n.id::text`;
  const errorOf = (member: string) =>
    sql`${sql(member)} = case when ${status} = 'failed' and not ${held} then case when ${explains} then ${sql(`i.${member}`)} else ${sql(`n.${member}`)} end end`;
  const [row] = await sql<(Applied & { revealed: RevealedUser[] | null })[]>`
    with ${holds ? sql`hold as materialized (${holdRows(sql, given, theirs)}),` : sql``}
    changed as (update notification n set
      status = case when ${held} then 'queued' else ${status} end, local_failure = false, in_doubt_since = null, held_at = null,
      wa_message_id = case when ${held} then null else coalesce(n.wa_message_id, i.wa_message_id) end,
      ${errorOf("error_code")}, ${errorOf("error_reason")}, ${errorOf("error_detail")},
      sent_at = case when ${held} then null else least(n.sent_at, i.sent_at) end, delivered_at = least(n.delivered_at, i.delivered_at), read_at = least(n.read_at, i.read_at),
      failed_at = case when ${held} then null else
        least(case when not n.local_failure then n.failed_at end, case when i.failed_attempt >= n.attempt then i.failed_at end) end,
      refused_attempt = case when ${held} then i.failed_attempt else n.refused_attempt end,
      tries = case when ${held} then coalesce(n.tries, '[]') || jsonb_build_object('at', now(), 'code', i.error_code, 'until', ${heldUntil}) else n.tries end,
      pricing = coalesce(n.pricing, i.pricing || jsonb_build_object('at', now()))
    from ${given}
    where ${theirs} and ${reported} is not null
      and (n.local_failure or n.in_doubt_since is not null or n.held_at is not null or (n.wa_message_id is null and i.wa_message_id is not null)
        or ${status} <> n.status or ${explains} or (n.pricing is null and i.pricing is not null)
        or i.sent_at < coalesce(n.sent_at, 'infinity') or i.delivered_at < coalesce(n.delivered_at, 'infinity')
        or i.read_at < coalesce(n.read_at, 'infinity'))
      returning n.site_id, n.event_id, n.id, n.status, n.delivered_at = i.delivered_at as is_delivered, n.read_at = i.read_at as is_read,
        n.status = 'failed' and n.failed_at = i.failed_at as is_failed, n.template_id, i.sent_at, i.delivered_at, i.read_at, i.failed_at, i.country,
        case when n.pricing->'at' = to_jsonb(now()) then n.pricing end as priced
    ),
    ${holds ? sql`waits as (${sql.unsafe(queueHeld)}), turned as (${sql.unsafe(insertTurns("waits"))}),` : sql``}
    ${hasWebhooks ? sql`told as (${sql.unsafe(tellChanged)}),` : sql``}
    ${changes.some(({ pricing }) => pricing != null) ? sql`counted as (${sql.unsafe(countPrices("changed"))}),` : sql``}
    ${changes.some(({ user_hash }) => user_hash != null) ? sql`${learnUsers(sql, accountId, given)},` : sql`revealed as (select null::json as them where false),`}
    late as (${sql.unsafe(noteLateOf("changed"))}),
    arrived as (delete from waiting_message where (site_id, id) in (${sql.unsafe(inDoubt)}))
    select count(*)::integer as changed, coalesce(json_agg(distinct event_id), '[]') as events, count(*) filter (where is_read)::integer as read, count(*) filter (where is_failed)::integer as failed,
      coalesce(json_agg(extract(epoch from delivered_at - uuid_time(event_id))::double precision) filter (where is_delivered), '[]') as delivered,
      (select them from revealed) as revealed, ${sql.unsafe(differs)} as differs
    from changed`;
  return { changed: 0, events: [], delivered: [], read: 0, failed: 0, differs: false, ...row, revealed: row?.revealed ?? [] };
}

/** SQL: whether one of `changed` has just learnt a price of another category than its template's; what is sent in an open window tells none. */
const differs = `exists (
  select from changed c join template t on t.id = c.template_id cross join lateral (
    select substring(c.priced->>'category' from '^(?:group_)?(utility|marketing|authentication)') as charged) p
  where c.priced is not null and p.charged <> lower(t.category))`;

/**
 * SQL: the failures (`i`) after which their messages (`n`) wait in the queue: as long as the account tries again, and where the site lets messages wait whose
 * event is answered. A message that was held back from a person is tried once more.
 */
const holdRows = (sql: Sql, given: Fragment, theirs: Fragment) => sql`
  select h.site_id, h.id, h.account_id, h.event_id, h.binding_id, h.phone_hash, h.expires_at, h.cancel_key, h.restart_key, h.error_code, h.queued_at,
    now() + make_interval(secs => least(h.hold_seconds + (h.longest_hold - h.hold_seconds) * random(), h.seconds_left)) as due_at
  from (
    select n.site_id, n.id, n.account_id, n.event_id, n.binding_id, i.phone_hash, i.expires_at, i.cancel_key, i.restart_key, i.error_code, i.hold_seconds, i.longest_hold, q.at as queued_at,
      extract(epoch from q.at + make_interval(hours => a.retry_hours) - now())::double precision as seconds_left
    from ${given} join notification n on ${theirs} join account a on a.id = n.account_id join site s on s.id = n.site_id
      cross join lateral (select coalesce(nullif(n.due_at, 'infinity'), uuid_time(n.id)) as at) q
    where i.hold_seconds is not null and i.phone_hash is not null and s.deleted_at is null and n.resent_as is null
      and not (i.error_code = '131049' and (coalesce(n.tries @> '[{"code": "131049"}]', false) or a.retry_hours <= 24))
      and (s.retry_after_answer or n.due_at is not null
        or exists (select from event e where e.site_id = n.site_id and e.id = n.event_id and e.chat = 'accepted'))
  ) h where h.seconds_left >= h.hold_seconds`;

/** SQL: queues the messages that were held. One whose result is still to be recorded stays its owner's, who finds it held (\`waiting/settle.ts\`). */
const queueHeld = `
  insert into waiting_message as w (site_id, id, account_id, event_id, binding_id, phone_hash, expires_at, cancel_key, restart_key, due_at, queued_at, again, held_for)
  select h.site_id, h.id, h.account_id, h.event_id, h.binding_id, h.phone_hash, h.expires_at, h.cancel_key, h.restart_key, h.due_at, h.queued_at, true, h.error_code
  from hold h join changed c on c.site_id = h.site_id and c.id = h.id and c.status = 'queued'
  on conflict (site_id, id) do update set due_at = excluded.due_at, again = true, doubts = 0, held_for = excluded.held_for where w.owner is null
  returning w.account_id, w.phone_hash, w.site_id, w.due_at`;

/** SQL: the waiting messages that may have been sent, and of which `changed` tells. What somebody has just taken they drop themselves. */
const inDoubt = `
  select w.site_id, w.id from waiting_message w join changed c on c.site_id = w.site_id and c.id = w.id and not (${isUnsent("c")})
  where w.doubts > 0 and w.owner is null for update of w skip locked`;

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

function rules(sql: Sql, holds: boolean) {
  /** The reported status; null when only an earlier attempt failed, or the platform has refused the attempt since. */
  const reported = sql`greatest(
    case when i.reached > 'sent' or n.refused_attempt is null or i.reached_attempt > n.refused_attempt then i.reached end,
    case when i.failed_attempt >= n.attempt and i.failed_attempt > coalesce(n.refused_attempt, 0) then 'failed'::notification_status end)`;
  const status = sql`merge_status(n.status, n.local_failure, ${reported}, false)`;
  /** SQL: whether the log shows this failure. */
  const explains = sql`(i.failed_attempt >= n.attempt and i.failed_attempt > coalesce(n.refused_attempt, 0)
    and (n.local_failure or n.failed_at is null or i.failed_at < n.failed_at))`;
  /** SQL: whether the message waits after it. */
  const held = holds ? sql`(${status} = 'failed' and ${explains} and i.id in (select id from hold))` : sql`false`;
  return { reported, status, explains, held };
}
