import type { Sql } from "../connect.ts";
import { isOpen } from "../notification/statuses.ts";
import { memoizeText, rowsOf, rowTexts } from "../sql-text.ts";
import { columns, of, type RowOf } from "../table.ts";
import { tellStatuses } from "../webhook/tell.ts";

/** The outcome of one message. */
const resultColumns = columns({
  site_id: of<string>({ sqlType: "uuid" }),
  event_id: of<string>({ sqlType: "uuid" }),
  id: of<string>({ sqlType: "uuid" }),
  /** The number of this attempt: the outcome of an earlier one says nothing against a later one. */
  attempt: of<number>({ sqlType: "integer" }),
  status: of<"sent" | "failed">({ sqlType: "notification_status" }),
  /** True when the failure is our own and not the platform's. */
  local: of<boolean>({ sqlType: "boolean" }),
  wa_message_id: of<string | null>(),
  error_code: of<string | null>(),
  error_reason: of<string | null>(),
  /** JSON: the platform's whole error. */
  error_detail: of<string | null>(),
});

export type NotificationResult = RowOf<typeof resultColumns>;

/** The event of the results and of the next wave. */
const progressColumns = columns({
  site_id: of<string>({ sqlType: "uuid" }),
  id: of<string>({ sqlType: "uuid" }),
  owner: of<string>({ sqlType: "uuid" }),
  /** The answer; null while another wave follows: the counts are then not written, as statements may arrive in another order. */
  chat: of<string | null>(),
  recipients_sent: of<number>({ sqlType: "integer" }),
  recipients_failed: of<number>({ sqlType: "integer" }),
});

export type EventProgress = RowOf<typeof progressColumns>;

export interface Settlement {
  results: NotificationResult[];
  /** The next wave: the messages that are about to be sent. */
  next: { site_id: string; event_id: string; id: string }[];
  events: EventProgress[];
  /** Whether some of the sites have endpoints, which are told. */
  hasWebhooks: boolean;
}

/**
 * Records results, marks the next wave and finishes events, in one statement and one commit. Idempotent. Answers the ids of the events that still have
 * this owner. For an event that another gateway has taken over, only the platform's outcomes are recorded, merged with those of callbacks
 * (`merge_status`): our own failures may be wrong by now, and the next wave belongs to the new owner. A batch must not hold an event twice, of two owners
 * say: a statement changes a row once, by a result that nobody chose.
 *
 * Rows are picked by lists and joined by text: a join on the key itself prunes partitions row by row, and PostgreSQL 18 (seen in 18.4) can crash when such
 * a plan meets a row that somebody else has just changed. The bounds spare the statement the partitions of all other weeks.
 */
export async function settle(sql: Sql, { results, next, events, hasWebhooks }: Settlement): Promise<Set<string>> {
  const shape = [results.length > 0 ? "results" : "", next.length > 0 ? "next" : "", hasWebhooks ? "told" : ""].join();
  const { texts, separators } = rowTexts([
    { rows: events, names: progressColumns.names },
    { rows: results, names: resultColumns.names },
  ]);
  const [eventText = "", resultText = ""] = texts;
  const rows = await sql.unsafe<{ id: string }[]>(
    settleStatement(shape),
    [
      eventText,
      ...keysOf(events),
      ...separators,
      ...(results.length > 0 ? [resultText, ...keysOf(results)] : []),
      ...(next.length > 0 ? keysOf(next) : []),
    ],
    { prepare: true },
  );
  return new Set(rows.map(({ id }) => id));
}

/** Records results of messages that the caller holds, without their events. */
export async function recordResults(sql: Sql, results: readonly NotificationResult[]): Promise<void> {
  const { texts, separators } = rowTexts([{ rows: results, names: resultColumns.names }]);
  await sql.unsafe(resultStatement(""), [...separators, texts[0] ?? "", ...keysOf(results)], { prepare: true });
}

const separatorParameters = ["$6", "$7", "$8"] as const;

const resultStatement = memoizeText(() => `with applied as (${applyResults(3, ["$1", "$2", "$3"], "")} ${toldResults}) ${tellResults}`);

const settleStatement = memoizeText((shape) => {
  const [hasResults, hasNext, told] = shape.split(",");
  const results = 8;
  const next = hasResults ? 13 : 8;
  return `
    with held as (
      update event e set chat = coalesce(p.chat, e.chat),
        recipients_sent = case when p.chat is null then e.recipients_sent else p.recipients_sent end,
        recipients_failed = case when p.chat is null then e.recipients_failed else p.recipients_failed end
      from ${rowsOf(progressColumns, "p", "$1", separatorParameters)}
      where ${among("e", 1)} and e.id::text = p.id::text and e.site_id = p.site_id and e.owner = p.owner
      returning e.id
    )
    ${hasResults ? `, applied as (${applyResults(results, separatorParameters, ofHeldEvents)} ${told ? toldResults : ""})` : ""}
    ${hasResults && told ? `, told as (${tellResults})` : ""}
    ${hasNext ? `, marked as (${markNext(next)})` : ""}
    select id from held`;
});

const ofHeldEvents = "and (not r.local or r.event_id in (select id from held))";

/** `first` is the number of the parameter before this part's. */
function applyResults(first: number, separators: readonly [string, string, string], condition: string): string {
  const status = "merge_status(n.status, n.local_failure, r.status, r.local)";
  /** SQL: the new failure's member, unless our own failure comes after a result of the platform; null if the message did not fail. */
  const errorOf = (member: string): string => `
    case when ${status} <> 'failed' then null
      when r.local and not ${isOpen("n")} then n.${member} else coalesce(r.${member}, n.${member}) end`;
  return `
    update notification n set
      status = ${status},
      local_failure = r.local and (n.local_failure or ${isOpen("n")}),
      wa_message_id = coalesce(n.wa_message_id, r.wa_message_id),
      error_code = ${errorOf("error_code")}, error_reason = ${errorOf("error_reason")}, error_detail = ${errorOf("error_detail")},
      sent_at = case when r.status = 'sent' then coalesce(n.sent_at, now()) else n.sent_at end,
      failed_at = case when r.status = 'failed' and ${status} = 'failed' then coalesce(n.failed_at, now()) when not n.local_failure then n.failed_at end,
      in_doubt_since = null
    from ${rowsOf(resultColumns, "r", `$${first + 1}`, separators)}
    where ${among("n", first + 1)} and n.id::text = r.id::text and n.site_id = r.site_id
      and (r.status = 'sent' or r.attempt >= n.attempt) ${condition}`;
}

const toldResults = "returning n.site_id, n.event_id, n.id, n.status, r.status as told, n.sent_at, n.failed_at";

/** Tells of results. A failure that a later report of the platform outweighs is told to nobody. */
const tellResults = tellStatuses(`
  select site_id, event_id, id, 'message.' || told, case told when 'sent' then sent_at else failed_at end
  from applied where told = 'sent' or status = 'failed'`);

const markNext = (first: number): string => `
  update notification n set status = 'sending'
  where ${among("n", first)} and n.status = 'queued' and n.event_id in (select id from held)`;

/** Selects the rows of `keysOf`, and no others, since an id under another row's site does not exist. */
const among = (table: string, first: number): string => `
  ${table}.site_id = any($${first + 1}::uuid[]) and ${table}.id = any($${first + 2}::uuid[])
  and ${table}.id >= $${first + 3}::uuid and ${table}.id <= $${first + 4}::uuid`;

function keysOf(keys: readonly { site_id: string; id: string }[]): [string[], string[], string | null, string | null] {
  const ids = keys.map(({ id }) => id).toSorted();
  return [[...new Set(keys.map(({ site_id }) => site_id))], ids, ids[0] ?? null, ids.at(-1) ?? null];
}
