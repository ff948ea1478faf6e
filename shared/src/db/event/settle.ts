import { isOpen } from "../notification/statuses.ts";
import { createParameters, memoizeText, rowsOf, rowTexts } from "../sql-text.ts";
import { type RowOf, type Sql, columns, of } from "../statement.ts";
import { insertTurns, waitingColumns } from "../waiting/turns.ts";
import { tellStatuses } from "../webhook/tell.ts";

/** The outcome of one message. */
const resultColumns = columns({
  ...of.each(of<string>({ sqlType: "uuid" }), "site_id", "event_id", "id"),
  /** The number of this attempt: the outcome of an earlier one says nothing against a later one. */
  attempt: of<number>({ sqlType: "integer" }),
  /** `queued`: it waits in the queue (`Settlement.held`), for `error_code` if the platform refused it. */
  status: of<"sent" | "failed" | "queued">({ sqlType: "notification_status" }),
  /** Whether the platform holds the message back that it accepted. */
  is_held: of<boolean>({ sqlType: "boolean" }),
  /** True when the failure is our own and not the platform's. */
  local: of<boolean>({ sqlType: "boolean" }),
  ...of.each(of<string | null>(), "wa_message_id", "error_code", "error_reason"),
  /** JSON: the platform's whole error. */
  error_detail: of<string | null>(),
});

export type NotificationResult = Omit<RowOf<typeof resultColumns>, "is_held"> & { is_held?: boolean | undefined };

const heldColumns = columns({
  ...waitingColumns,
  /** The platform's code, or `number_limit`; null if the message was not tried for another reason. */
  held_for: of<string | null>(),
  seconds: of<number>({ sqlType: "double precision", stored: false }),
});

/** A message that waits in the queue although its event is answered. */
export type HeldMessage = RowOf<typeof heldColumns>;

/** The event of the results and of the next wave. */
const progressColumns = columns({
  ...of.each(of<string>({ sqlType: "uuid" }), "site_id", "id", "owner"),
  /** The answer; null while another wave follows: the counts are then not written, as statements may arrive in another order. */
  chat: of<string | null>(),
  ...of.each(of<number>({ sqlType: "integer" }), "recipients_sent", "recipients_failed"),
});

export type EventProgress = RowOf<typeof progressColumns>;

export interface Settlement {
  results: NotificationResult[];
  /** The next wave: the messages that are about to be sent. */
  next: { site_id: string; event_id: string; id: string }[];
  event: EventProgress;
  held?: readonly HeldMessage[] | undefined;
  /** Whether the site has endpoints, which are told. */
  hasWebhooks: boolean;
}

/**
 * Records results, marks the next wave and finishes events, in one statement and one commit. Idempotent. Answers for each settlement whether its event
 * still has this owner. For an event that another gateway has taken over, only the platform's outcomes are recorded, merged with those of callbacks
 * (`merge_status`): our own failures may be wrong by now, and the next wave belongs to the new owner. A batch must not hold an event twice, of two owners
 * say: a statement changes a row once, by a result that nobody chose.
 *
 * Rows are picked by lists and joined by text: a join on the key itself prunes partitions row by row, and PostgreSQL 18 (seen in 18.4) can crash when such
 * a plan meets a row that somebody else has just changed. The bounds spare the statement the partitions of all other weeks.
 */
export async function settle(sql: Sql, settlements: readonly Settlement[]): Promise<boolean[]> {
  const events = settlements.map(({ event }) => event);
  const results = settlements.flatMap((one) => one.results);
  const next = settlements.flatMap((one) => one.next);
  const held = settlements.flatMap((one) => one.held ?? []);
  const { values, add } = createParameters();
  const at = {
    events: addRows(add, events, progressColumns, sameProgress),
    results: results.length === 0 ? null : addRows(add, results, resultColumns, sameSuccess),
    next: next.length === 0 ? null : addKeys(add, next),
    held: held.length === 0 ? null : add(JSON.stringify(held)),
    isTold: settlements.some(({ hasWebhooks }) => hasWebhooks),
  };
  const shape = [at.events.isSame, at.results?.isSame, at.next !== null, at.held !== null, at.isTold].join();
  const rows = await sql.unsafe<{ id: string }[]>(settleStatement(shape, at), values as string[], { prepare: true });
  const ours = new Set(rows.map(({ id }) => id));
  return events.map(({ id }) => ours.has(id));
}

/** Records results of messages that the caller owns, without their events. */
export async function recordResults(sql: Sql, results: readonly NotificationResult[]): Promise<void> {
  const { values, add } = createParameters();
  const at = addRows(add, results, resultColumns, sameSuccess);
  await sql.unsafe(resultStatement(String(at.isSame), at), values as string[], { prepare: true });
}

/** The places of a list of rows. */
interface RowsPlace {
  keys: KeysPlace;
  /** Whether all rows have the same values: one row then stands for all, which spares the join. */
  isSame: boolean;
  /** SQL: the values of the rows, named `alias`. */
  valuesAs: (alias: string) => string;
}

/** The places of the keys of rows, and of the least and the greatest of their ids. */
type KeysPlace = Readonly<Record<"sites" | "ids" | "from" | "to", string>>;

interface SettlePlaces {
  events: RowsPlace;
  results: RowsPlace | null;
  next: KeysPlace | null;
  held: string | null;
  isTold: boolean;
}

const resultStatement = memoizeText(
  (_, results: RowsPlace) => `with applied as (${applyResults(results, "")} ${toldResults}) ${tellResults}`,
);

const settleStatement = memoizeText(
  (_, { events, results, next, held, isTold }: SettlePlaces) => `
    with still_ours as (
      update event e set chat = coalesce(p.chat, e.chat),
        recipients_sent = case when p.chat is null then e.recipients_sent else p.recipients_sent end,
        recipients_failed = case when p.chat is null then e.recipients_failed else p.recipients_failed end
      ${fromRows("e", "p", events)} and e.owner = p.owner
      returning e.id
    )
    ${results ? `, applied as (${applyResults(results, "and (not r.local or r.event_id in (select id from still_ours))")} ${isTold || held ? toldResults : ""})` : ""}
    ${held ? `, waits as (${queueHeld(held)}), turned as (${insertTurns("waits")})` : ""}
    ${results && isTold ? `, told as (${tellResults})` : ""}
    ${next ? `, marked as (${markNext(next)})` : ""}
    select id from still_ours`,
);

function applyResults(rows: RowsPlace, condition: string): string {
  const status = "merge_status(n.status, n.local_failure, r.status, r.local)";
  /** SQL: the new failure's member, unless our own failure comes after a result of the platform; null if the message did not fail. */
  const errorOf = (member: string): string => `
    case when ${status} <> 'failed' then null
      when r.local and not ${isOpen("n")} then n.${member} else coalesce(r.${member}, n.${member}) end`;
  return `
    update notification n set
      status = ${status},
      local_failure = r.local and r.status = 'failed' and (n.local_failure or ${isOpen("n")}),
      wa_message_id = coalesce(n.wa_message_id, ${rows.isSame ? "r.wa_message_ids[array_position(r.ids, n.id)]" : "r.wa_message_id"}),
      error_code = ${errorOf("error_code")}, error_reason = ${errorOf("error_reason")}, error_detail = ${errorOf("error_detail")},
      sent_at = case when r.status = 'sent' then coalesce(n.sent_at, now()) else n.sent_at end,
      failed_at = case when r.status = 'failed' and ${status} = 'failed' then coalesce(n.failed_at, now()) when not n.local_failure then n.failed_at end,
      held_at = case when r.is_held and ${isOpen("n")} then now() else n.held_at end,
      tries = case when r.status = 'queued' and r.error_code is not null then coalesce(n.tries, '[]') || jsonb_build_object('at', now(), 'code', r.error_code) else n.tries end,
      in_doubt_since = null
    ${fromRows("n", "r", rows)} and (r.status = 'sent' or r.attempt >= n.attempt) and r.attempt > coalesce(n.refused_attempt, 0) ${condition}`;
}

/** SQL: picks the listed rows of a table, and joins their values. */
const fromRows = (table: string, alias: string, { keys, isSame, valuesAs }: RowsPlace): string => `
  from ${valuesAs(alias)} where ${among(table, keys)}
    ${isSame ? "" : `and ${table}.id::text = ${alias}.id::text and ${table}.site_id = ${alias}.site_id`}`;

const toldResults = "returning n.site_id, n.event_id, n.id, n.status, r.status as told, n.sent_at, n.failed_at";

/** Tells of results. A failure that a later report of the platform outweighs is told to nobody. */
const tellResults = tellStatuses(`
  select site_id, event_id, id, 'message.' || told, case told when 'sent' then sent_at else failed_at end
  from applied where told = 'sent' or (told = 'failed' and status = 'failed')`);

/** SQL: queues the messages that were held, unless the platform has reported on them meanwhile. */
const queueHeld = (held: string): string => `
  insert into waiting_message (${heldColumns.stored}, due_at, queued_at, again)
  select ${heldColumns.names.flatMap((name) => (name === "seconds" ? [] : `h.${name}`)).join(", ")},
    now() + make_interval(secs => h.seconds), uuid_time(h.id), coalesce(h.held_for <> 'number_limit', false)
  from json_to_recordset(${held}::text::json) as h(${heldColumns.typed}) join applied a on a.id = h.id and a.site_id = h.site_id and a.status = 'queued'
  on conflict do nothing
  returning account_id, phone_hash, site_id, due_at`;

const markNext = (keys: KeysPlace): string => `
  update notification n set status = 'sending'
  where ${among("n", keys)} and n.status = 'queued' and n.event_id in (select id from still_ours)`;

/** SQL: picks the rows of these keys, and no others, since an id under another row's site does not exist. */
const among = (table: string, { sites, ids, from, to }: KeysPlace): string => `
  ${table}.site_id = any(${sites}::uuid[]) and ${table}.id = any(${ids}::uuid[]) and ${table}.id >= ${from}::uuid and ${table}.id <= ${to}::uuid`;

type Add = ReturnType<typeof createParameters>["add"];

function addRows<Row extends EventProgress | NotificationResult>(
  add: Add,
  rows: readonly Row[],
  columns: Parameters<typeof rowsOf>[0],
  findSame: (add: Add, rows: readonly Row[], keys: KeysPlace) => string | null,
): RowsPlace {
  const keys = addKeys(add, rows);
  const same = findSame(add, rows, keys);
  if (same !== null) return { keys, isSame: true, valuesAs: (alias) => `(select ${same}) as ${alias}` };
  const { texts, separators } = rowTexts([{ rows, names: columns.names }]);
  const [text, ...signs] = [...texts, ...separators].map(add) as [string, string, string, string];
  return { keys, isSame: false, valuesAs: (alias) => rowsOf(columns, alias, text, signs) };
}

/** SQL: the outcome that all events have, as is usual; null if they have several. */
function sameProgress(add: Add, events: readonly EventProgress[]): string | null {
  const { owner = null, chat = null, recipients_sent: sent, recipients_failed: failed } = events[0] ?? {};
  for (const one of events)
    if (one.owner !== owner || one.chat !== chat || one.recipients_sent !== sent || one.recipients_failed !== failed) return null;
  return `${add(owner)}::uuid as owner, ${add(chat)}::text as chat,
    ${add(String(sent))}::integer as recipients_sent, ${add(String(failed))}::integer as recipients_failed`;
}

/** The most messages of which finding one in a list costs less than a join. */
const mostListed = 250;

/** SQL: what all messages have that the platform has accepted at the same attempt, with its ids in the order of theirs. */
function sameSuccess(add: Add, results: readonly NotificationResult[], { ids }: KeysPlace): string | null {
  const attempt = results[0]?.attempt;
  const isOther = (one: NotificationResult): boolean =>
    one.status !== "sent" || one.attempt !== attempt || one.local || one.is_held === true || one.error_code !== null;
  if (results.length > mostListed || results.some(isOther)) return null;
  const waMessageIds = results.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((one) => one.wa_message_id);
  return `'sent'::notification_status as status, ${add(String(attempt))}::integer as attempt, false as local, false as is_held, null::uuid as event_id,
    null::text as error_code, null::text as error_reason, null::text as error_detail, ${ids}::uuid[] as ids, ${add(waMessageIds)}::text[] as wa_message_ids`;
}

function addKeys(add: Add, keys: readonly { site_id: string; id: string }[]): KeysPlace {
  const ids = keys.map(({ id }) => id).toSorted();
  return {
    sites: add([...new Set(keys.map(({ site_id }) => site_id))]),
    ids: add(ids),
    from: add(ids[0] ?? null),
    to: add(ids.at(-1) ?? null),
  };
}
