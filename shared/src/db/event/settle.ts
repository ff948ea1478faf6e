import type { Sql } from "../connect.ts";
import { memoizeText, rowsText } from "../sql-text.ts";

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
 *
 * Rows are picked by lists and joined by text: a join on the key itself prunes partitions row by row, and PostgreSQL 18 (seen in 18.4) can crash when
 * such a plan meets a row that somebody else has just changed. The bounds spare the statement the partitions of all other weeks.
 */
export async function settle(sql: Sql, { results, next, events }: Settlement): Promise<Set<string>> {
  const shape = `${results.length > 0 ? "1" : "0"}${next.length > 0 ? "1" : "0"}`;
  const rows = await sql.unsafe<{ id: string }[]>(
    settleStatement(shape),
    [
      rowsText(events, settlementMembers.event_progress),
      ...keysOf(events),
      ...(results.length > 0 ? [rowsText(results, settlementMembers.notification_result), ...keysOf(results)] : []),
      ...(next.length > 0 ? keysOf(next) : []),
    ],
    { prepare: true },
  );
  return new Set(rows.map(({ id }) => id));
}

/** The members of the row types of the same names, in their order. */
export const settlementMembers = {
  event_progress: ["site_id", "id", "owner", "chat", "recipients_sent", "recipients_failed"],
  notification_result: [
    "site_id",
    "event_id",
    "id",
    "attempt",
    "status",
    "local",
    "wa_message_id",
    "error_code",
    "error_reason",
    "error_detail",
  ],
} as const;

/** The statement with (1) or without (0) results and a next wave. */
const settleStatement = memoizeText((shape) => {
  const results = 5;
  const next = shape.startsWith("1") ? 10 : 5;
  return `
    with held as (
      update event e set chat = coalesce(p.chat, e.chat),
        recipients_sent = case when p.chat is null then e.recipients_sent else p.recipients_sent end,
        recipients_failed = case when p.chat is null then e.recipients_failed else p.recipients_failed end,
        lease_until = case when p.chat is null then e.lease_until end
      from unnest($1::text::event_progress[]) as p
      where ${among("e", 1)} and e.id::text = p.id::text and e.site_id = p.site_id and e.owner = p.owner
      returning e.id
    )
    ${shape.startsWith("1") ? `, applied as (${applyResults(results)})` : ""}
    ${shape.endsWith("1") ? `, marked as (${markNext(next)})` : ""}
    select id from held`;
});

/** `first`: the number of the parameter before this part's. */
function applyResults(first: number): string {
  const status = "merge_status(n.status, n.local_failure, r.status, r.local)";
  /** The new failure's member, unless our own word comes after the platform's; nothing where the message did not fail. */
  const errorOf = (member: string): string => `
    case when ${status} <> 'failed' then null
      when r.local and n.status not in ('queued', 'sending') then n.${member} else coalesce(r.${member}, n.${member}) end`;
  return `
    update notification n set
      status = ${status},
      local_failure = r.local and (n.local_failure or n.status in ('queued', 'sending')),
      wa_message_id = coalesce(n.wa_message_id, r.wa_message_id),
      error_code = ${errorOf("error_code")}, error_reason = ${errorOf("error_reason")}, error_detail = ${errorOf("error_detail")},
      sent_at = case when r.status = 'sent' then coalesce(n.sent_at, now()) else n.sent_at end,
      failed_at = case when r.status = 'failed' and ${status} = 'failed' then coalesce(n.failed_at, now()) when not n.local_failure then n.failed_at end,
      in_doubt_since = null
    from unnest($${first + 1}::text::notification_result[]) as r
    where ${among("n", first + 1)} and n.id::text = r.id::text and n.site_id = r.site_id
      and (r.status = 'sent' or r.attempt >= n.attempt) and (not r.local or r.event_id in (select id from held))`;
}

const markNext = (first: number): string => `
  update notification n set status = 'sending'
  where ${among("n", first)} and n.status = 'queued' and n.event_id in (select id from held)`;

/** The rows with `keysOf` these keys, or few more: an id under another's site is not there. */
const among = (table: string, first: number): string => `
  ${table}.site_id = any($${first + 1}::uuid[]) and ${table}.id = any($${first + 2}::uuid[])
  and ${table}.id >= $${first + 3}::uuid and ${table}.id <= $${first + 4}::uuid`;

function keysOf(keys: readonly { site_id: string; id: string }[]): [string[], string[], string | null, string | null] {
  const ids = keys.map(({ id }) => id).toSorted();
  return [[...new Set(keys.map(({ site_id }) => site_id))], ids, ids[0] ?? null, ids.at(-1) ?? null];
}
