import type { EventFilterInput } from "../../core/input/log.ts";
import type { NotificationStatus } from "../../core/message.ts";
import type { SiteMode, SourceType } from "../../core/site.ts";
import { orderId } from "../ids.ts";
import { sinceFirst } from "../notification/log.ts";
import { isDropped, isUnsent } from "../notification/statuses.ts";
import { findWalkEnd, type LogPage, type RowOf, type Sql, columns, of, one, ownersOf, scalars, withinPage } from "../statement.ts";

/** SQL: the event was answered before anything was sent. */
const wasEarly = "event.chat in ('accepted', 'scheduled')";
/** No message is older than its event, so that earlier weeks are not asked. */
const own = `from notification n
  where n.site_id = event.site_id and n.event_id = event.id and n.id >= uuid_at(uuid_time(event.id)) and n.resend_of is null`;
const count = (condition: string): string => `(select count(*)::integer ${own} and ${condition})`;
const counted = (column: string, condition: string): string => `case when ${wasEarly} then ${count(condition)} else event.${column} end`;
const knownOutcome = `case when ${wasEarly} then (
  select case when count(*) = 0 or bool_or(${isUnsent("n")}) then event.chat
    when bool_and(${isDropped("n")}) then 'scheduled'
    when bool_and(${isDropped("n")} or n.wa_message_id is null) then 'failed'
    when bool_and(${isDropped("n")} or n.wa_message_id is not null) then 'sent' else 'partial' end ${own}) else event.chat end`;

/** An event without its payload. */
const eventColumns = columns({
  ...of.texts("id", "site_id"),
  site_mode: of<SiteMode>({ read: "(select s.mode from site s where s.id = event.site_id)", stored: false }),
  ...of.texts("source", "name"),
  ...of.each(of<boolean>(), "test", "dry_run"),
  ...of.each(of<string | null>(), "order_id", "idempotency_key"),
  bindings_run: of<number>(),
  /** The outcome; for an event that was answered before anything was sent, its final one once that is known. */
  chat: of<string | null>({ read: knownOutcome }),
  recipients_sent: of<number>({ read: counted("recipients_sent", "n.wa_message_id is not null") }),
  recipients_failed: of<number>({ read: counted("recipients_failed", "n.status = 'failed' and n.wa_message_id is null") }),
  /** The messages that still wait for their time. */
  recipients_scheduled: of<number>({
    read: `case when ${wasEarly} or event.recipients_scheduled > 0 then ${count("n.status = 'scheduled'")} else 0 end`,
  }),
  /** How many duplicates with its key got the same answer. */
  replays: of<number>(),
  /** The event that this one runs once more. */
  replay_of: of<string | null>({ read: "(select r.replay_of from requested_event r where r.id = event.id)", stored: false }),
});

export type EventRow = RowOf<typeof eventColumns>;

const detailColumns = columns({
  ...eventColumns.all,
  /** The text that was received; null when it was deleted before its event. */
  payload: of<string | null>(),
  /** JSON of facts that the messages do not show; null when they show all. */
  trace: of<string | null>(),
});

export type EventDetailRow = RowOf<typeof detailColumns>;

/** A reason for which a message has no recipient may be `any`. No index knows the outcome of the events: see `findEventWalkEnd`. */
export interface EventFilter extends Omit<EventFilterInput, "outcome"> {
  name?: string | undefined;
  /** Of the page's range, which is not asked for again: PostgreSQL would read all of it. */
  ids?: readonly string[] | undefined;
  outcome?: string | undefined;
}

/** A page of the account's events, newest first, also of deleted sites. Each site's index gives its newest in order: a page costs the same in a long log. */
export const listEvents = (sql: Sql, accountId: string, filter: EventFilter, page: LogPage) =>
  sql<EventRow[]>`
    select ${eventColumns.read(sql)} from (${ownersOf(sql, accountId, filter)}) site
    cross join lateral (
      select ${sql.unsafe(eventColumns.stored)} from event
      where site_id = site.owner
        ${filter.name === undefined ? sql`` : sql`and name = ${filter.name} and name <> ''`}
        ${filter.orderId === undefined ? sql`` : sql`and order_id = ${filter.orderId}`}
        ${filter.test === undefined ? sql`` : filter.test ? sql`and test` : sql`and not test`}
        ${filter.dryRun === undefined ? sql`` : filter.dryRun ? sql`and dry_run` : sql`and not dry_run`}
        ${filter.unreached === undefined ? sql`` : filter.unreached === "any" ? sql`and unreached is not null` : sql`and unreached = ${filter.unreached}`}
        ${filter.outcome === undefined ? sql`` : sql`and ${hasOutcome(sql, filter.outcome)}`}
        ${filter.ids === undefined ? withinPage(sql, page) : sql`and id = any(array(select unnest(${[...filter.ids]}::uuid[])))`}
      order by id desc limit ${page.limit}
    ) event
    order by id desc limit ${page.limit}`;

const hasOutcome = (sql: Sql, outcome: string) =>
  sql`(chat = ${outcome} or ${sql.unsafe(wasEarly)}) and ${sql.unsafe(`(${knownOutcome})`)} = ${outcome}`;

/** The id at which a page of a list ends whose filter no index serves; null when it looks at all events. */
export const findEventWalkEnd = (sql: Sql, accountId: string, filter: EventFilter, page: LogPage, most?: number) =>
  findWalkEnd(sql, ownersOf(sql, accountId, filter), sql`event where site_id = own.owner`, page, most);

/** The newest messages to one of these phones, as they are stored, of the account's events before the page's end, resends left out: their events are older. */
export const findEventsTo = (sql: Sql, accountId: string, siteId: string | undefined, phones: readonly string[], page: LogPage) =>
  sql<{ id: string; event_id: string }[]>`
    select found.id, found.event_id from site cross join unnest(${[...phones]}::text[]) as phone cross join lateral (
      select id, event_id from notification
      where site_id = site.id and to_phone = phone and to_phone <> '' and resend_of is null ${page.from === null ? sql`` : sql`and id >= ${page.from}`}
        ${page.before === null ? sql`` : sql`and event_id < ${page.before}`}
      order by id desc limit ${page.limit}
    ) found
    where account_id = ${accountId} ${siteId === undefined ? sql`` : sql`and site.id = ${siteId}`}
    order by found.id desc limit ${page.limit}`;

/** Those of these events of the account that had a message to one of these phones, as they are stored. */
export const eventsToAmong = (sql: Sql, accountId: string, phones: readonly string[], ids: readonly string[]) =>
  scalars(sql<{ event_id: string }[]>`
    select distinct event_id from notification
    where site_id = any(array(select id from site where account_id = ${accountId})) and event_id = any(${[...ids]}::uuid[])
      and to_phone = any(${[...phones]}::text[])`);

/** The ids of the account's events on the page that `id` names: the event itself, a message's event, or those of an order. `among`: only of these. */
export const findEventsById = (sql: Sql, accountId: string, id: string, page: LogPage, among?: readonly string[]) => {
  const within = (column: string) =>
    sql`${withinPage(sql, page, column)} ${among === undefined ? sql`` : sql`and ${sql(column)} = any(${[...among]}::uuid[])`}`;
  return scalars(sql<{ id: string }[]>`
    select found.id from site cross join lateral (
      select id from event where site_id = site.id and id = ${id} ${within("id")}
      union select event_id from notification where site_id = site.id and notification.id = ${id} ${within("event_id")}
      union (select id from event where site_id = site.id and order_id = ${id} ${within("id")} order by id desc limit ${page.limit})
    ) found where account_id = ${accountId} order by found.id desc limit ${page.limit}`);
};

/** The most orders of a number, those with the newest events, that are found. */
const mostOfNumber = 1_000;

/** The account's orders with one of these ids of their shops, or of these numbers, as they may be stored. */
export async function findNamedOrders(
  sql: Sql,
  accountId: string,
  siteId: string | undefined,
  { references, numbers }: { references: readonly string[]; numbers: readonly string[] },
): Promise<string[]> {
  const sites = await scalars(sql<{ id: string }[]>`
    select id from site where account_id = ${accountId} ${siteId === undefined ? sql`` : sql`and id = ${siteId}`}`);
  const ids = sites.flatMap((site) => references.map((value) => orderId(site, { kind: "id", value })));
  return await scalars(sql<{ id: string }[]>`
    select id from customer_order where site_id = any(${sites}::uuid[]) and id = any(${ids}::uuid[])
    union (select id from customer_order where site_id = any(${sites}::uuid[]) and ${isNumbered(sql, numbers)} order by last_event_id desc limit ${mostOfNumber})`);
}

/** The ids of the newest events of these orders of the account. `among`: only of these. */
export const findEventsOfOrders = (sql: Sql, accountId: string, orders: readonly string[], page: LogPage, among?: readonly string[]) =>
  scalars(sql<{ id: string }[]>`
    select found.id from site cross join unnest(${[...orders]}::uuid[]) as of_order cross join lateral (
      select id from event where site_id = site.id and order_id = of_order ${withinPage(sql, page)}
        ${among === undefined ? sql`` : sql`and id = any(${[...among]}::uuid[])`}
      order by id desc limit ${page.limit}
    ) found
    where account_id = ${accountId} order by found.id desc limit ${page.limit}`);

/** SQL: whether an order has one of the numbers, by an index of their hashes. */
const isNumbered = (sql: Sql, numbers: readonly string[]) => sql`
  number = any(${[...numbers]}::text[]) and hashtextextended(number, 0) = any(array(select hashtextextended(one, 0) from unnest(${[...numbers]}::text[]) one))`;

/** The first recipient of each event, as it is stored, the number of recipients, of whom one may get several messages, and what these have reached. */
export const listRecipients = (sql: Sql, accountId: string, eventIds: readonly string[]) =>
  sql<{ event_id: string; id: string; to_phone: string; recipients: number; to_customer: boolean; statuses: NotificationStatus[] }[]>`
    select event_id, (array_agg(n.id order by is_own, n.id))[1] as id, (array_agg(to_phone order by is_own, n.id))[1] as to_phone,
      count(distinct to_phone)::integer as recipients, not bool_and(is_own) as to_customer,
      json_agg(distinct n.status::text) as statuses
    from notification n left join binding b on b.id = n.binding_id
      cross join lateral (select n.test or coalesce(b.recipient->>'strategy' in ('site_recipients', 'static_phone'), false) as is_own) o
    where n.site_id = any(array(select id from site where account_id = ${accountId})) and n.event_id = any(${[...eventIds]}::uuid[]) ${sinceFirst(sql, eventIds)}
      and n.resend_of is null
    group by event_id`;

/** The account's event. The condition names each of its sites, because the key begins with the site. */
export const findEvent = (sql: Sql, accountId: string, id: string) =>
  one(sql<EventDetailRow[]>`
    select ${detailColumns.read(sql)} from event left join event_payload using (site_id, id)
    where id = ${id} and site_id = any(array(select id from site where account_id = ${accountId}))`);

export type NamedEventRow = EventRow & { site_name: string };

/** Events of any account by id, for the operator of the installation. */
export const listNamedEvents = (sql: Sql, ids: readonly string[]) =>
  sql<NamedEventRow[]>`
    select ${eventColumns.read(sql)}, site_name from (select id as owner, name as site_name from site) site
    cross join lateral (
      select ${sql.unsafe(eventColumns.stored)} from event where site_id = site.owner and id = any(${[...ids]}::uuid[])
    ) event`;

/**
 * Counts the live events of the account's sites with a message that had no recipient, by site and reason: those of the last day, or since a problem of them counts.
 * Reasons without one in the last day are left out.
 * @param most The most such events of a site that are looked at, the newest.
 */
export const countUnreached = (
  sql: Sql,
  accountId: string,
  starts: readonly { site_id: string | null; subject: string; since: Date }[],
  most: number,
) =>
  sql<{ site_id: string; unreached: string; count: number; more: boolean; first_id: string; last_id: string }[]>`
    with start as materialized (
      select s.site_id, s.subject, s.since from json_to_recordset(${JSON.stringify(starts)}::text::json) as s(site_id uuid, subject text, since timestamptz)
    )
    select event.of_site as site_id, event.unreached, count(*)::integer as count, bool_or(event.more) as more, min(event.id::text) as first_id, max(event.id::text) as last_id
    from (
      select newest.id, newest.of_site, newest.unreached, count(*) over (partition by of_site) >= ${most} as more from site cross join lateral (
        select id, site.id as of_site, unreached from event where site_id = site.id and unreached is not null order by id desc limit ${most}
      ) newest
      where site.account_id = ${accountId} and site.mode = 'live' and site.deleted_at is null
    ) event left join start s on s.site_id = event.of_site and s.subject = event.unreached
    where event.id >= uuid_at(coalesce(s.since, now() - interval '1 day'))
    group by event.of_site, event.unreached having max(event.id::text)::uuid >= uuid_at(now() - interval '1 day')`;

/** A count of the newest events of a site with one name and outcome. */
export interface OutcomesRow {
  site_id: string;
  name: string;
  test: boolean;
  chat: string | null;
  count: number;
  first_event_id: string;
  last_event_id: string;
  /** Whether the site may have more events. */
  more: boolean;
}

/**
 * The outcomes of the newest events of each of the account's sites, dry runs left out; looks at `most` of each site.
 * @param parts Ids in order: events before one and from it on are counted apart.
 */
export const countOutcomesOfEvents = (
  sql: Sql,
  accountId: string,
  range: Pick<LogPage, "from" | "before">,
  most: number,
  parts: string[],
) =>
  sql<OutcomesRow[]>`
    select site.id as site_id, event.name, event.test, event.chat, count(*)::integer as count,
      min(event.id::text) as first_event_id, max(event.id::text) as last_event_id, sum(count(*)) over (partition by site.id) >= ${most} as more
    from site cross join lateral (
      select id, name, test, chat, dry_run from event
      where site_id = site.id
        ${withinPage(sql, range)}
      order by id desc limit ${most}
    ) event
    where site.account_id = ${accountId} and site.mode = 'live' and site.deleted_at is null and not event.dry_run
    group by site.id, event.name, event.test, event.chat, width_bucket(event.id, ${parts}::uuid[])`;

/** The pairs of a site and an event's name, among these, of which one came since the id `from`. */
export const listArrived = (sql: Sql, names: readonly { of_site: string; of_name: string }[], from: string) =>
  sql<{ of_site: string; of_name: string }[]>`
    select of_site, of_name from json_to_recordset(${JSON.stringify(names)}::text::json) as asked(of_site uuid, of_name text)
    where exists (select from event where site_id = of_site and name = of_name and name <> '' and id >= ${from})`;

/** The traces of the newest events of these names at these sites, as they are stored; at most `most` of each. */
export const listTraces = (
  sql: Sql,
  names: readonly { of_site: string; of_name: string }[],
  range: Pick<LogPage, "from" | "before">,
  most: number,
) =>
  sql<{ id: string; trace: string }[]>`
    select found.id, found.trace
    from json_to_recordset(${JSON.stringify(names)}::text::json) as asked(of_site uuid, of_name text) cross join lateral (
      select event.id, event_payload.trace from event join event_payload using (site_id, id)
      where site_id = of_site and event.name = of_name and event.name <> ''
        ${withinPage(sql, range)}
      order by id desc limit ${most}
    ) found
    where found.trace is not null`;

/** The traces of the newest live events of each of the account's sites, as they are stored; looks at `most` events of each site. */
export const listLatestTraces = (sql: Sql, accountId: string, range: Pick<LogPage, "from" | "before">, most: number) =>
  sql<{ id: string; site_id: string; trace: string }[]>`
    select found.id, site.id as site_id, found.trace
    from site cross join lateral (
      select id, test or dry_run as is_trial from event
      where site_id = site.id
        ${withinPage(sql, range)}
      order by id desc limit ${most}
    ) newest cross join lateral (select id, trace from event_payload where site_id = site.id and id = newest.id limit 1) found
    where site.account_id = ${accountId} and site.mode = 'live' and site.deleted_at is null and not newest.is_trial and found.trace is not null
     `;

export interface LastEventRow {
  site_id: string;
  name: string;
  source_type: SourceType;
  /** The last event, tests and dry runs included; null before the first. */
  last_event_id: string | null;
  /** The time of the site's first request with a valid signature; null before. */
  connected_at: Date | null;
  /** When the site's shop posted a topic last; null if it has not. */
  last_posted_at: Date | null;
}

/** The last event of each of the account's enabled sites that has received any. */
export const listLastEvents = (sql: Sql, accountId: string) =>
  sql<LastEventRow[]>`
    select site.id as site_id, site.name, site.source_type, last.id as last_event_id, site.connected_at,
      (select max(last_seen_at) from site_topic where site_id = site.id) as last_posted_at
    from site left join lateral (select id from event where site_id = site.id order by id desc limit 1) last on true
    where site.account_id = ${accountId} and site.mode = 'live' and site.deleted_at is null and site.enabled and (last.id is not null or site.connected_at is not null)`;

/**
 * The hours of the week before `at` in which each site had an event, counted back from 0: the hour that ends with `at`. Costs one index look-up an hour, however many events it had: without the limit, a log that is not
 * large yet would be joined with the hours event by event.
 */
export const listBusyHours = (sql: Sql, sites: readonly { siteId: string; at: Date }[]) =>
  sql<{ site_id: string; hours: number[] }[]>`
    select site.id as site_id, json_agg(hour order by hour) as hours
    from unnest(${sites.map(({ siteId }) => siteId)}::uuid[], ${sites.map(({ at }) => at.toISOString())}::text[]::timestamptz[]) as site (id, at), generate_series(0, 167) hour
    cross join lateral (
      select id from event where site_id = site.id
        and id >= uuid_at(site.at - (hour + 1) * interval '1 hour' + interval '1 millisecond') and id < uuid_at(site.at - hour * interval '1 hour' + interval '1 millisecond')
      order by id limit 1
    ) first
    group by site.id`;

const orderColumns = columns({
  ...of.texts("id", "site_id"),
  ...of.each(of<string | null>(), "external_id", "number", "status", "total", "currency"),
  ...of.each(of<Date>(), "created_at", "updated_at"),
});

/** An order as its site's events name it; `claimEvents` writes it. */
export type OrderRow = RowOf<typeof orderColumns>;

/** The account's orders among these ids, those of deleted sites too. */
export const findOrders = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<OrderRow[]>`
    select ${orderColumns.read(sql)} from customer_order
    where site_id = any(array(select id from site where account_id = ${accountId})) and id = any(${[...ids]}::uuid[])`;

/** The orders of the account's site with one of these numbers, as they may be stored; the one with the newest event first. */
export const findOrdersByNumber = (sql: Sql, accountId: string, siteId: string, numbers: readonly string[], limit: number) =>
  sql<OrderRow[]>`
    select ${orderColumns.read(sql)} from customer_order
    where site_id = (select id from site where id = ${siteId} and account_id = ${accountId}) and ${isNumbered(sql, numbers)}
    order by last_event_id desc limit ${limit}`;
