import type { ScheduledFilterInput } from "../../core/input/log.ts";
import { turnOf } from "../../core/person-key.ts";
import { asksRows, type FoundEvents, isOfFound } from "../event/search.ts";
import { notificationColumns, type NotificationRow, sinceFirst } from "../notification/log.ts";
import { type CountedSites, type Fragment, type LogPage, type Sql, countedSites, ofSites, one } from "../statement.ts";

export interface ScheduledFilter extends ScheduledFilterInput {
  ids?: readonly string[] | undefined;
  /** The keyed digest of a phone. */
  phoneHash?: string | undefined;
  /** What a search has found, by any of its results: messages, those of events, and those to phones by their keyed digests. */
  found?: (Record<"ids" | "phoneHashes", readonly string[]> & FoundEvents) | undefined;
  /** The span of ids: `from` included, `before` excluded. */
  from?: string | null;
  before?: string | null;
}

export interface ScheduledRow extends NotificationRow {
  leaves_at: string;
}

/** The messages behind `before`, up to `from`: both are null or the key of a message, the microseconds since 1970 at which it leaves, a space, and its id. */
export type ScheduledPage = LogPage;

/**
 * A page of the messages that wait for their time, in the order in which they leave. The index gives each site's first ones in that order, however many
 * wait behind them. An event or a template is searched only among the first messages of each site.
 */
export const listScheduled = (sql: Sql, accountId: string, filter: ScheduledFilter, page: ScheduledPage) =>
  sql<ScheduledRow[]>`
    with first as materialized (${firstOf(sql, accountId, filter, page)})
    select ${notificationColumns.read(sql)}, (extract(epoch from leaves_at) * 1000000)::bigint::text as leaves_at
    from (select in_site, waiting_id, leaves_at from first order by leaves_at, waiting_id) w cross join lateral (
      select ${sql.unsafe(notificationColumns.stored)} from notification where site_id = in_site and id = waiting_id ${named(sql, filter)} limit 1
    ) notification order by w.leaves_at, waiting_id limit ${page.limit}`;

/**
 * The number of messages that are listed, and of those that can be cancelled: scheduled ones, as those are whose time is to come. Counts no further than `page.limit`,
 * and among the same first ones.
 */
export const countScheduled = (sql: Sql, accountId: string, filter: ScheduledFilter, page: ScheduledPage) =>
  one(sql<[{ listed: number; scheduled: number }]>`
    with first as materialized (${firstOf(sql, accountId, filter, page)})
    ${
      hasName(filter)
        ? sql`select least(count(*), ${page.limit})::integer as listed, least(count(*) filter (where n.status = 'scheduled'), ${page.limit})::integer as scheduled
            from first cross join lateral (select status from notification where site_id = in_site and id = waiting_id ${named(sql, filter)} limit 1) n`
        : sql`select (select count(*) from (select from first limit ${page.limit}) found)::integer as listed, (select count(*) from (
            select from first where leaves_at > now() or exists (select from notification where site_id = in_site and id = waiting_id and status = 'scheduled')
            limit ${page.limit}) found)::integer as scheduled`
    }`);

/** The key at which a stretch of a search for a name ends; null where it is looked for nothing, or among all that is left. */
export async function findScheduledEnd(
  sql: Sql,
  accountId: string,
  filter: ScheduledFilter,
  { before }: Pick<ScheduledPage, "before">,
): Promise<string | null> {
  if (!hasName(filter) || filter.ids !== undefined) return null;
  const most = sql`greatest(${mostLookedAtOnce / 16}::integer, ${mostLookedAtOnce}::integer / (select count(*)::integer from site where account_id = ${accountId} ${ofSites(sql, filter)}))`;
  const end = await one(sql<{ key: string }[]>`
    select (extract(epoch from leaves_at) * 1000000)::bigint || ' ' || waiting_id as key from (${firstOf(sql, accountId, filter, { before, from: null, limit: sql`1 offset ${most}` })}) far
    order by leaves_at, waiting_id limit 1`);
  return end?.key ?? null;
}

/** The messages that one statement of such a search looks at. */
const mostLookedAtOnce = 400;

/** The most messages of a site that are searched for a name. */
const mostLooked = 10_000;

const hasName = ({ event, template, found }: ScheduledFilter): boolean =>
  (event ?? template) !== undefined || (found !== undefined && asksRows(found));

/** SQL: the first messages that wait for their time: at a paused site all of them, elsewhere those that are not due yet. */
const firstOf = (
  sql: Sql,
  accountId: string,
  filter: ScheduledFilter,
  page: Omit<ScheduledPage, "limit"> & { limit: number | Fragment },
) => sql`
  select in_site, waiting_id, leaves_at from site s cross join lateral (
    select w.site_id as in_site, w.id as waiting_id, w.queued_at as leaves_at from waiting_message w
    where w.site_id = s.id and w.queued_at > case when s.hold_messages then '-infinity' else now() end and w.owner is null
      ${filter.phoneHash === undefined ? sql`` : sql`and ${isTo(sql, "w", [filter.phoneHash])}`}
      ${filter.ids === undefined ? sql`` : sql`and w.id = any(${[...filter.ids]}::uuid[])`}
      ${filter.found === undefined || typeof page.limit !== "number" ? sql`` : sql`and ${isFound(sql, filter.found)}`}
      ${filter.due === undefined ? sql`` : sql`and (w.queued_at <= now()) = ${filter.due}`}
      ${filter.from == null ? sql`` : sql`and w.id >= ${filter.from}`} ${filter.before == null ? sql`` : sql`and w.id < ${filter.before}`}
      ${page.before === null ? sql`` : sql`and ${leavesBy(sql, page.before, ">=")} and (w.queued_at, w.id) > ${keyOf(sql, page.before)}`}
      ${page.from === null ? sql`` : sql`and ${leavesBy(sql, page.from, "<=")} and (w.queued_at, w.id) <= ${keyOf(sql, page.from)}`}
    order by w.queued_at, w.id limit ${limitOf(sql, filter, page.limit)}
  ) found
  where s.account_id = ${accountId} ${ofSites(sql, filter)}`;

/** SQL: how many. Where no key gives the messages PostgreSQL is not told the number, as it would read and sort all that wait for a large one. */
function limitOf(sql: Sql, filter: ScheduledFilter, limit: number | Fragment) {
  if (
    typeof limit !== "number" ||
    (filter.phoneHash ?? filter.ids) !== undefined ||
    (filter.found !== undefined && !asksRows(filter.found))
  )
    return limit;
  return sql`(select ${hasName(filter) ? Math.max(mostLooked, limit) : limit}::integer)`;
}

const leavesBy = (sql: Sql, key: string, than: ">=" | "<=") => sql`w.queued_at ${sql.unsafe(than)} ${timeOf(sql, key)}`;
const keyOf = (sql: Sql, key: string) => sql`(${timeOf(sql, key)}, ${key.split(" ")[1] ?? ""}::uuid)`;
const timeOf = (sql: Sql, key: string) => sql`'epoch'::timestamptz + ${key.split(" ")[0] ?? ""}::bigint * interval '1 microsecond'`;

/** SQL: whether the site's message `of` goes to one of these phones. */
const isTo = (sql: Sql, of: "w" | "t", hashes: readonly string[]) =>
  sql`${sql(of)}.account_id = s.account_id and ${sql(of)}.phone_hash = any(${hashes.flatMap((hash) => [turnOf(hash, "live"), turnOf(hash, "test")])}::text[])`;

/** SQL: whether a search has found the site's message: among few, or each by its event. */
const isFound = (sql: Sql, { ids, phoneHashes, ...found }: NonNullable<ScheduledFilter["found"]>) =>
  !asksRows(found)
    ? sql`w.id = any(array(
        select n.id from notification n where n.site_id = s.id and n.event_id = any(${[...found.eventIds]}::uuid[]) ${sinceFirst(sql, found.eventIds)}
        union all select unnest(${[...ids]}::uuid[])
        union all select t.id from waiting_message t where t.site_id = s.id and ${isTo(sql, "t", phoneHashes)}))`
    : sql`(${isOfFound(sql, "w", found)} or w.id = any(${[...ids]}::uuid[]) or ${isTo(sql, "w", phoneHashes)})`;

const named = (sql: Sql, { event, template }: ScheduledFilter) =>
  sql`${event === undefined ? sql`` : sql`and event = ${event}`} ${template === undefined ? sql`` : sql`and template = ${template}`}`;

/** The most due messages that are counted. */
const mostDue = 10_000;

/**
 * SQL: when each message of the site `s` became due that may leave now, the first ones first: neither what is tried again later, nor what waits behind that
 * for the same phone, nor what the site holds.
 */
const dueMessages = (sql: Sql, most: number) => sql`
  select greatest(t.due_at, w.due_at) as due_at from recipient_turn t
    join waiting_message w on w.account_id = t.account_id and w.phone_hash = t.phone_hash and w.site_id = s.id and w.due_at <= now() and w.owner is null
  where t.site_id = s.id and t.owner is null and t.due_at <= now() and not s.hold_messages and s.deleted_at is null
  order by t.due_at limit ${sql.unsafe(String(most))}`;

export interface BacklogRow {
  queued: number;
  /** Those of the queued messages that may leave now, of a site at most `mostDue`. */
  due: number;
  scheduled: number;
  /** Those of the scheduled messages that wait only for the end of a pause. */
  paused: number;
  oldest_queued_seconds: number;
  oldest_due_seconds: number;
  per_second: number;
  limit_per_second: number | null;
}

/** The numbers of waiting messages at the account's sites (or one), all from an index alone. Messages of a paused site are scheduled, whatever they wait for. */
export const readBacklog = (sql: Sql, accountId: string, sites: CountedSites) =>
  one(sql<BacklogRow[]>`
    select coalesce(sum(w.queued), 0)::integer as queued, coalesce(sum(w.waiting - w.queued), 0)::integer as scheduled, coalesce(sum(w.paused), 0)::integer as paused,
      coalesce(greatest(0, extract(epoch from now() - min(w.oldest))), 0)::integer as oldest_queued_seconds,
      coalesce(sum(d.due), 0)::integer as due, coalesce(extract(epoch from now() - min(d.oldest)), 0)::integer as oldest_due_seconds,
      (select coalesce(sum(c.count), 0) / 10.0 from send_count c
        where c.account_id = a.id and c.second >= date_trunc('second', now()) - interval '10 seconds' and c.second < date_trunc('second', now()))::double precision as per_second,
      a.messages_per_second as limit_per_second
    from account a left join site s on s.account_id = a.id ${countedSites(sql, "s", sites)}
    left join lateral (
      select count(*) as waiting, count(*) filter (where queued_at <= now() and not s.hold_messages) as queued,
        count(*) filter (where queued_at <= now() and s.hold_messages) as paused,
        min(queued_at) filter (where queued_at <= now() and not s.hold_messages) as oldest
      from waiting_message where site_id = s.id
    ) w on true
    left join lateral (select count(*) as due, min(due_at) as oldest from (${dueMessages(sql, mostDue)}) one) d on true
    where a.id = ${accountId} group by a.id`);

export interface Backlog {
  queued: number;
  scheduled: number;
  /** How long the first message that may leave has been due, 0 without one. What WhatsApp lets wait is not due. */
  oldest_seconds: number;
  in_doubt: number;
}

/** All waiting messages of the installation, and those of which nobody knows whether they were sent: of unfinished events, and of the queue. */
export const readWholeBacklog = (sql: Sql) =>
  one(sql<Backlog[]>`
    select count(*) filter (where w.queued_at <= now() and not s.hold_messages)::double precision as queued,
      count(*) filter (where w.queued_at > now() or s.hold_messages)::double precision as scheduled,
      coalesce((select extract(epoch from now() - min(d.due_at)) from site s cross join lateral (${dueMessages(sql, 1)}) d), 0)::double precision as oldest_seconds,
      (select count(*) from event_due d join notification n on n.site_id = d.site_id and n.event_id = d.id and n.in_doubt_since is not null
        and not exists (select from waiting_message o where o.site_id = n.site_id and o.id = n.id))
      + (select count(*) from waiting_message o join notification n on n.site_id = o.site_id and n.id = o.id and n.in_doubt_since is not null
        where o.doubts > 0)::double precision as in_doubt
    from waiting_message w join site s on s.id = w.site_id`);
