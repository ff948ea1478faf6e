import type { DroppedStatus } from "../../core/message.ts";
import type { Stopped } from "../../core/reason.ts";
import { claimedColumns } from "../notification/log.ts";
import { noteLateOf } from "../notification/statuses.ts";
import { configName } from "../site-for-ingest.ts";
import { createParameters, memoizeText, rowsOf, rowTexts, type Separators } from "../sql-text.ts";
import { type RowOf, type Sql, columns, of, inTransaction } from "../statement.ts";
import { insertTurns, waitingColumns } from "../waiting/turns.ts";
import { tellStatuses } from "../webhook/tell.ts";
import { historyRows, type NeededKey, storeHistories, takeAlso, takeKeys, takeNeeded, unchangedHistories } from "./claim-keys.ts";
import { lockedLease } from "./gateway-lease.ts";
import { type HistoryChange, lockHistories } from "./known-order.ts";
import { cancelledValues, foreseenOutcome, lookBack, rememberCancels } from "./look-back.ts";

/** The columns that an event is claimed with; those not stored in `event` belong to the claim, the payload or the order. */
const eventColumns = columns({
  ...of.each(of<string>({ sqlType: "uuid" }), "id", "site_id"),
  /** The name of the configuration that the request was authenticated and planned with. */
  config: of<string>({ stored: false }),
  ...of.texts("source", "name"),
  ...of.each(of<boolean>({ sqlType: "boolean" }), "test", "dry_run"),
  idempotency_key: of<string | null>(),
  bindings_run: of<number>({ sqlType: "integer" }),
  /** Null while messages are still to be sent. */
  chat: of<string | null>(),
  /** The reason why a message has no recipient, as `core/unreached` writes it; null where each has one. */
  unreached: of<string | null>(),
  ...of.each(of<number>({ sqlType: "integer" }), "recipients_failed", "recipients_sent"),
  /** Null when the payload names no order, and in a dry run; the other columns of the order are then null too. */
  order_id: of<string | null>({ sqlType: "uuid" }),
  ...of.each(of<string | null>({ stored: false }), "order_external_id", "order_number", "order_status", "order_total", "order_currency"),
  /** The text that was received. */
  payload: of<string>({ stored: false }),
  /** JSON; null when the notifications show all. */
  trace: of<string | null>({ stored: false }),
  /** The dry run's answer, kept for duplicates; a live answer is composed from the event's row. */
  body: of<string | null>({ stored: false }),
  /** For a signed id, or a shop's key: the unix seconds until which it counts at least. Null for a plain key and without one. */
  id_until: of<number | null>({ sqlType: "double precision", stored: false }),
});

/** The columns that a message is claimed with. */
export const claimedMessage = columns({
  ...claimedColumns,
  status: of<"scheduled" | "queued" | "sending" | "failed">(claimedColumns.status),
  account_id: of<string>({ sqlType: "uuid" }),
  position: of<number>({ sqlType: "integer" }),
  components: of<string>(),
});

export type NotificationClaim = RowOf<typeof claimedMessage>;

/** The columns that a message waits with if it does not leave with its event. */
const delayedColumns = columns({
  ...waitingColumns,
  /** The due time in ISO 8601; null: now. */
  due_at: of<string | null>({ sqlType: "timestamptz" }),
  /** The due time as the log shows it; `infinity` while the site is paused, null for a message that is only queued. */
  shown_due_at: of<string | null>({ sqlType: "timestamptz", stored: false }),
});

export type WaitingClaim = RowOf<typeof delayedColumns>;

/** A key of an event: it stops the waiting messages of its site that have the same key. */
export interface StopClaim {
  event_id: string;
  site_id: string;
  key: string;
  /** What becomes of them. */
  status: DroppedStatus;
  code: Stopped["code"];
  /** Names the event. */
  reason: string;
  /** Whether the event only shows that another has happened before: it cancels what waits, and nothing that comes. */
  past: boolean;
}

/** A message with a key: an event that came before cancels it. */
export type CancelAsk = Record<"site_id" | "event_id" | "id" | "cancel_key", string>;

/** The recipient of a message, to be compared with the opt-outs. */
export interface Addressee {
  event_id: string;
  account_id: string;
  /** The message's place in its event. */
  position: number;
  phone_hash: string;
  marketing: boolean;
}

/** One event as the rows that it becomes. */
export interface EventClaim {
  event: RowOf<typeof eventColumns>;
  notifications: NotificationClaim[];
  /** The recipients of the messages if the account has opt-outs; else empty. */
  addressees: Addressee[];
  /** The messages that do not leave with the event. */
  waiting: WaitingClaim[];
  stops: StopClaim[];
  /** The messages that an earlier event may cancel, whenever they leave. */
  asks: readonly CancelAsk[];
  /** Further keys: other requests with them are repeats of the event. */
  alsoKeys?: readonly string[] | undefined;
  /** The history of what the event tells of. The event is `outdated` once that has become another. */
  history?: HistoryChange | undefined;
  /** Texts that are locked with it: of two claims with one in common the later sees what the former wrote. */
  locks?: readonly string[] | undefined;
  needs?: NeededKey | undefined;
  /** Whether the site has endpoints, which are told of failed messages. */
  hasWebhooks: boolean;
}

/**
 * Nothing was written unless `claimed`. `outdated`: the configuration has changed. `duplicate`: the key is taken. `optedOut`: the recipients of the messages
 * at these positions have opted out of them. `shut`: somebody else holds the key that it needs beside its own. `foreseen`: claimed, and the messages with
 * these ids are logged as cancelled.
 */
export type ClaimOutcome = "claimed" | "duplicate" | "outdated" | "shut" | { optedOut: number[] } | { foreseen: readonly string[] };

/**
 * Claims events: writes idempotency key, order, event and notifications of each in one statement and one commit. Nothing is written of an event whose
 * configuration has changed since it was planned, or that would message somebody who opted out. The outcomes stand in the order of the claims. Run again
 * with the same event ids it changes nothing, but fails with 23505 when an event is stored already. Null if the gateway's lease (`owner`) is gone: nothing
 * was written then.
 *
 * Keys, histories and orders are written in key order, so that two gateways cannot deadlock. A batch must not hold an idempotency key twice, nor a history.
 */
export async function claimEvents(sql: Sql, claims: EventClaim[], owner: string): Promise<ClaimOutcome[] | null> {
  const locks = claims.flatMap(({ history, locks: others = [] }) => (history === undefined ? others : [history.id, ...others]));
  if (locks.length === 0) return await claim(sql, claims, owner);
  return await inTransaction(sql, async (transaction) => {
    await lockHistories(transaction, locks);
    return await claim(transaction, claims, owner);
  });
}

async function claim(sql: Sql, claims: EventClaim[], owner: string): Promise<ClaimOutcome[] | null> {
  const events = claims.map(({ event }) => event);
  const notifications = claims.flatMap((one) => one.notifications);
  const addressees = claims.flatMap((one) => one.addressees);
  const waiting = claims.flatMap((one) => one.waiting);
  const stops = claims.flatMap((one) => one.stops);
  const asks = claims.flatMap((one) => one.asks);
  const histories = claims.flatMap(({ event, history }) => (history === undefined ? [] : { event_id: event.id, ...history }));
  const alsoKeys = claims.flatMap(({ event, alsoKeys: keys = [] }) => keys.map((key) => ({ event_id: event.id, key })));
  const needs = claims.flatMap((one) => one.needs ?? []);
  const { texts, separators } = rowTexts([
    { rows: events, names: eventColumns.names },
    { rows: notifications, names: claimedMessage.names },
    { rows: waiting, names: delayedColumns.names },
  ]);
  const [eventText = "", notificationText = "", waitingText = ""] = texts;
  const { values, add } = createParameters();
  const at = {
    events: add(eventText),
    sites: add([...new Set(events.map(({ site_id }) => site_id))]),
    owner: add(owner),
    separators: [add(separators[0]), add(separators[1]), add(separators[2])] as const,
    notifications: notifications.length === 0 ? null : add(notificationText),
    addressees: addressees.length === 0 ? null : add(JSON.stringify(addressees)),
    accounts: addressees.length === 0 ? null : add([...new Set(addressees.map(({ account_id }) => account_id))]),
    phones: addressees.length === 0 ? null : add([...new Set(addressees.map(({ phone_hash }) => phone_hash))]),
    waiting: waiting.length === 0 ? null : add(waitingText),
    stops: stops.length === 0 ? null : add(JSON.stringify(stops)),
    asks: asks.length === 0 ? null : add(JSON.stringify(asks)),
    histories: histories.length === 0 ? null : add(JSON.stringify(histories)),
    alsoKeys: alsoKeys.length === 0 ? null : add(JSON.stringify(alsoKeys)),
    needs: needs.length === 0 ? null : add(JSON.stringify(needs)),
    ...shapeOf(claims),
  };
  const shape = Object.values(at)
    .map((part) => (typeof part === "string" || part === true ? 1 : 0))
    .join("");
  const rows = await sql.unsafe<ClaimRow[]>(claimStatement(shape, at), values as string[], { prepare: true });
  const found = new Map(rows.map((row) => [row.id, row]));
  return found.has(owner) ? events.map(({ id }) => outcome(found.get(id))) : null;
}

interface ClaimRow {
  id: string;
  /** Null: shut. */
  claimed: boolean | null;
  /** Present only for a batch with addressees. */
  opted_out?: number[] | null;
  /** Present only for a batch that looks back. */
  foreseen?: string[] | null;
}

function outcome(row: ClaimRow | undefined): ClaimOutcome {
  if (row === undefined) return "outdated";
  if (row.opted_out) return { optedOut: row.opted_out };
  if (row.claimed === null) return "shut";
  return !row.claimed ? "duplicate" : row.foreseen ? { foreseen: row.foreseen } : "claimed";
}

/** What the statement has to do besides: it names only the tables that the batch needs. */
function shapeOf(claims: readonly EventClaim[]) {
  const orders = claims.flatMap(({ event }) => event.order_id ?? []);
  return {
    hasKeys: claims.some(({ event, needs }) => event.idempotency_key !== null || needs !== undefined),
    hasOrders: orders.length > 0,
    repeatsOrders: new Set(orders).size < orders.length,
    hasIds: claims.some(({ event }) => event.id_until !== null),
    cancels: claims.some((one) => one.stops.some(({ code }) => code === "cancelled_by_event")),
    isTold: claims.some(({ hasWebhooks, notifications }) => hasWebhooks && notifications.some(({ status }) => status === "failed")),
  };
}

type Optional = "notifications" | "addressees" | "accounts" | "phones" | "waiting" | "stops" | "asks" | "histories" | "alsoKeys" | "needs";
/** The places of the statement's parameters; null for those that it has not. */
type ClaimPlaces = Readonly<
  Record<"events" | "sites" | "owner", string> & Record<Optional, string | null> & { separators: Separators } & ReturnType<typeof shapeOf>
>;

const claimStatement = memoizeText((_, at: ClaimPlaces) => {
  const { notifications, addressees, accounts, phones, waiting, stops, asks, histories, alsoKeys, needs } = at;
  return `
    with ${lockedLease(String.raw, `${at.owner}::uuid`)},
    ${addressees ? `opted_out as materialized (${optedOut(accounts ?? "", addressees, phones ?? "")}),` : ""}
    ${histories ? `history as materialized (${historyRows(histories)}),` : ""}
    ${at.hasKeys ? "current" : "claimed"} as materialized (${currentEvents(at)} ${histories ? unchangedHistories : ""}
      ${addressees ? "and i.id not in (select event_id from opted_out)" : ""}),
    ${needs ? `${takeNeeded(needs, eventColumns.names)},` : ""}
    ${at.hasKeys ? `${takeKeys(at.hasIds, needs ? "open" : "current", eventColumns.names)},` : ""}
    ${alsoKeys ? `also as (${takeAlso(alsoKeys)}),` : ""}
    ${histories ? `told_of as (${storeHistories}),` : ""}
    ${at.hasOrders ? `ordered as (${at.repeatsOrders ? upsertRepeatedOrders : upsertOrders}),` : ""}
    ${asks ? `${lookBack(asks)},` : ""}
    ${waiting ? `waits as materialized (${waitingRows(waiting, at.separators)} ${asks ? "and w.id not in (select id from foreseen)" : ""}),` : ""}
    ${waiting ? `${queueMessages},` : ""}
    ${notifications ? `logged as (${logNotifications(notifications, at)} ${at.isTold || asks ? "returning site_id, event_id, id, status, failed_at" : ""}),` : ""}
    ${at.isTold ? `told as (${tellFailed}),` : ""}
    ${stops ? `${stopMessages(stops, at.sites)},` : ""}
    ${at.cancels ? `${rememberCancels(asks !== null)},` : ""}
    stored as (${storeEvents(at)}),
    kept as (insert into event_payload (id, site_id, payload, trace) select id, site_id, payload, trace from claimed)
    select id, ${needs ? "case when id in (select id from open) then id in (select id from claimed) end" : at.hasKeys ? "id in (select id from claimed)" : "true"} as claimed ${addressees ? ", null::json as opted_out" : ""}
      ${asks ? ", (select json_agg(f.id) from foreseen f where f.event_id = ours.id) as foreseen" : ""}
    from ${at.hasKeys ? "current" : "claimed"} ours
    ${addressees ? `union all select event_id, false, json_agg(position) ${asks ? ", null" : ""} from opted_out group by event_id` : ""}
    union all select id, true ${addressees ? ", null" : ""} ${asks ? ", null" : ""} from lease`;
});

/** SQL: the messages of the batch whose recipients have opted out. The lists make PostgreSQL look up keys instead of reading the whole table. */
const optedOut = (accounts: string, addressees: string, phones: string): string => `
  select i.event_id, i.position
  from opt_out o
  join json_to_recordset(${addressees}::text::json) as i(event_id uuid, account_id uuid, position integer, phone_hash text, marketing boolean)
    on i.account_id = o.account_id and i.phone_hash = o.phone_hash
  where o.account_id = any(${accounts}::uuid[]) and o.phone_hash = any(${phones}::text[]) and o.active and (i.marketing or o.scope = 'all')`;

/** SQL: the end of a key's window. A key counts no longer than its event is kept, since its answer is the event's. */
const keyEnd = `least(now() + t.log_days * interval '1 day',
    greatest(now() + coalesce(t.idempotency_hours * interval '1 hour', interval '5 minutes'), to_timestamp(i.id_until)))`;

/** SQL: the events of the batch that were planned with the current configuration. Without keys they need no more of it: a join would copy their payloads. */
const currentEvents = ({ events, sites, separators, hasKeys }: ClaimPlaces): string => {
  const terms = `select ${configName} as config, s.idempotency_hours, a.log_days
    from site s cross join lateral (select id, config_version, log_days from account where id = s.account_id offset 0) a
    where s.id = any(${sites}::uuid[]) and exists (select from lease)`;
  return `
    select ${eventColumns.names.map((name) => `i.${name}`).join(", ")} ${hasKeys ? `, ${keyEnd} as key_end` : ""}
    from ${rowsOf(eventColumns, "i", events, separators)}
    ${hasKeys ? `join (${terms}) t on t.config = i.config where true` : `where i.config = any(array(select config from (${terms}) t))`}`;
};

const storeOrders = (rows: string): string => `
  insert into customer_order as o (site_id, id, external_id, number, status, total, currency, last_event_id)
  ${rows}
  order by site_id, order_id
  on conflict (site_id, id) do update set
    external_id = coalesce(excluded.external_id, o.external_id), number = coalesce(excluded.number, o.number),
    status = coalesce(excluded.status, o.status), total = coalesce(excluded.total, o.total), currency = coalesce(excluded.currency, o.currency),
    last_event_id = excluded.last_event_id, updated_at = now()`;

const upsertOrders = storeOrders(`
  select site_id, order_id, order_external_id, order_number, order_status, order_total, order_currency, id
  from claimed where order_id is not null`);

const newest = (member: string): string => `(array_agg(${member} order by id desc) filter (where ${member} is not null))[1]`;

/** Stores several events of one order in a batch: each column takes the newest value that is given. */
const upsertRepeatedOrders = storeOrders(`
  select site_id, order_id, ${["order_external_id", "order_number", "order_status", "order_total", "order_currency", "id"].map(newest).join(", ")}
  from claimed where order_id is not null group by site_id, order_id`);

const logNotifications = (text: string, { separators, waiting, asks }: ClaimPlaces): string => `
  insert into notification (${claimedMessage.stored}, local_failure, failed_at${waiting ? ", due_at" : ""})
  select ${claimedMessage.names.map((name) => (asks ? (cancelledValues[name] ?? `n.${name}`) : `n.${name}`)).join(", ")},
    n.status = 'failed', case when n.status = 'failed' then now() end
    ${waiting ? ", (select shown_due_at from waits w where w.id = n.id)" : ""}
  from ${rowsOf(claimedMessage, "n", text, separators)} ${asks ? "left join foreseen f on f.id = n.id" : ""}
  where n.event_id = any(array(select id from claimed))`;

/** Tells of failed messages; the event is read from `claimed`, as its row does not show yet. */
const tellFailed = tellStatuses(`
  select l.site_id, l.event_id, l.id, 'message.failed', l.failed_at
  from logged l join claimed c on c.id = l.event_id where l.status = 'failed' and not c.test`);

const waitingRows = (text: string, separators: Separators): string => `
  select ${delayedColumns.names.map((name) => (name === "due_at" ? "coalesce(w.due_at, now()) as due_at" : `w.${name}`)).join(", ")}
  from ${rowsOf(delayedColumns, "w", text, separators)} where w.event_id in (select id from claimed)`;

/**
 * Queues messages and gives their recipients a turn. Recipients come in order, so that two gateways cannot deadlock. A recipient whose next message
 * belongs to a paused site gets a turn at another site.
 */
const queueMessages = `
  queued as (insert into waiting_message (${delayedColumns.stored}, queued_at) select ${delayedColumns.stored}, due_at from waits),
  turned as (${insertTurns("waits")})`;

/**
 * SQL: stops waiting messages, and notes those that the statistics may have counted. A message without an owner is not being sent: if it is `sending`, it is
 * in doubt, as its gateway died.
 */
const stopMessages = (stops: string, sites: string): string => `
  stop as materialized (
    select s.event_id, s.site_id, s.key, s.status, s.code, s.reason, s.past
    from json_to_recordset(${stops}::text::json)
      as s(event_id uuid, site_id uuid, key text, status notification_status, code text, reason text, past boolean)
    where s.event_id in (select id from claimed)
  ),
  stopped as (
    delete from waiting_message w using stop s
    where w.site_id = s.site_id and (w.cancel_key = s.key or w.restart_key = s.key) and w.event_id <> s.event_id and w.owner is null
    returning w.site_id, w.id, s.key, s.status, s.code, s.reason
  ),
  cancelled as (
    update notification n set in_doubt_since = null, (status, error_code, error_reason) = (select s.status, s.code, s.reason from stopped s where s.id = n.id)
    where n.site_id = any(${sites}::uuid[]) and n.id = any(array(select id from stopped)) and n.status in ('scheduled', 'queued', 'sending')
    returning n.site_id, n.id
  ),
  late as (${noteLateOf("cancelled")})`;

const storeEvents = ({ owner, waiting, asks }: ClaimPlaces): string => `
  insert into event (${eventColumns.stored}, owner ${waiting ? ", recipients_scheduled" : ""})
  select ${asks ? eventColumns.stored.replace(/\bchat\b/, foreseenOutcome) : eventColumns.stored}, ${owner}::uuid
    ${waiting ? ", (select count(shown_due_at) from waits where waits.event_id = claimed.id)::integer" : ""} from claimed`;
