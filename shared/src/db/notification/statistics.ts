import type { NotificationStatus } from "../../core/message.ts";
import { unfinishedEvents } from "../event/gateway-lease.ts";
import { type Fragment, type LogPage, ofSites, type Sql, one, scalar, scalars } from "../statement.ts";
import { countedAt, type CountFilter, countedHours, ownDays, statusesOf, uncovered } from "./days.ts";
import { countHours } from "./hours.ts";
import type { NotificationFilter } from "./log.ts";
import { hasDropCode, isAccepted, isArrived, isNewest, isOpen } from "./statuses.ts";

/** The progress of counting a site's days. Days as `YYYY-MM-DD`. */
interface CountState {
  timezone: string;
  /** The account's current time zone; differs from `timezone` after a change. */
  wanted: string;
  counted_to: string;
  /** The day of the oldest message; null when there is none. */
  first_day: string | null;
  /** The same day in the time zone of the counts. */
  first_counted_day: string | null;
  /** Days before this one are old enough, and all their messages were sent or given up. */
  countable_to: string;
  /** Of that day, so many hours are. */
  countable_hours: number;
  /** How many hours of the day `counted_to` are counted. */
  counted_hours: number;
  /** The first day whose messages are all in the log, which earlier ones must not be counted from again. */
  kept_from: string;
}

/** The days that one call counts, which bounds how long it locks the site. */
const daysAtOnce = 7;

/** Sites with days or hours to count: those of accounts in which somebody is at work first, then the furthest behind. */
export const findSitesToCount = (sql: Sql, limit: number) =>
  scalars(sql<{ id: string }[]>`
    select s.id from site s join account a on a.id = s.account_id left join notification_count c on c.site_id = s.id
      cross join lateral (select ${oldEnough(sql)} as at) old
    where c.site_id is null or c.timezone <> a.timezone or c.counted_to < old.at::date or s.id in (select site_id from notification_late)
      or (c.counted_to = old.at::date and ${sql.unsafe(countedHours("c"))} < ${hoursOfDay(sql, sql`old.at`)} and exists (
        select from notification n where n.site_id = s.id and n.id >= uuid_at((c.counted_to + ${sql.unsafe(countedHours("c"))} * interval '1 hour') at time zone c.timezone)
          and n.id < uuid_at(date_trunc('hour', old.at) at time zone c.timezone)))
      or exists (select from notification_day d where d.site_id = s.id and not d.once)
    order by a.id in (select account_id from user_session where last_used_at > now() - interval '1 hour') desc, c.counted_to nulls first limit ${limit}`);

/**
 * Counts up to a week of a site's days by template, status and error code, and by hour, the whole hours of the last one too, and recounts days whose statuses
 * changed since, and up to a week of days that an earlier version has counted. Answers whether there is more to do. Call it in a transaction: it locks the site's state, and others skip
 * the site meanwhile.
 */
export async function countDays(sql: Sql, siteId: string): Promise<boolean> {
  await sql`
    insert into notification_count (site_id, timezone, counted_to)
    select s.id, a.timezone, '-infinity' from site s join account a on a.id = s.account_id where s.id = ${siteId}
    for key share of s skip locked
    on conflict do nothing`;
  const state = await holdState(sql, siteId);
  if (state === undefined) return false;
  const { countable_to, countable_hours, first_day, first_counted_day, wanted, kept_from } = state;
  const start = state.timezone === wanted ? later(state.counted_to, first_day ?? countable_to) : (first_day ?? countable_to);
  // After a change of the time zone all days are counted again, except those before the oldest message.
  if (state.timezone !== wanted) {
    const from = [start, first_counted_day ?? start].toSorted()[0] ?? start;
    for (const table of ["notification_day", "notification_hour"])
      await sql`delete from ${sql(table)} where site_id = ${siteId} and day >= ${from}::date`;
  }
  const end = await addDays(sql, start, countable_to);
  const newDays = sql`select generate_series(${start}::date, ${end}::date - 1, interval '1 day')::date as day, 24 as hours`;
  const counted = later(start, end);
  const hours = counted === countable_to ? countable_hours : 0;
  const old = await takeOldDays(sql, siteId);
  const late = await takeLateDays(sql, siteId, wanted, start);
  const repeated = await findRepeatedDays(sql, siteId, wanted, sql`${newDays} union select unnest(${old}::text[])::date, 24`);
  const again = [...late, ...old, ...repeated].filter((day) => day >= kept_from && day < start);
  const isSame = state.timezone === wanted && state.counted_to === counted && state.counted_hours === hours && !late.includes(counted);
  const part = sql`select ${counted}::date as day, ${hours}::integer as hours where ${!isSame}`;
  for (const days of [sql`select distinct unnest(${again}::text[])::date as day, 24 as hours`, newDays, part]) {
    await count(sql, siteId, wanted, days);
    await countHours(sql, siteId, wanted, days);
  }
  await sql`
    update notification_count set timezone = ${wanted}, counted_to = ${counted}, part_day = ${counted}, part_timezone = ${wanted}, part_hours = ${hours}
    where site_id = ${siteId}`;
  return end < countable_to || old.length > 0;
}

/** SQL: the local time before which messages may be counted: nearly every status has come after 24 hours, and `applyStatuses` records later ones. */
const oldEnough = (sql: Sql) => sql`((now() - interval '24 hours') at time zone a.timezone)`;

/** SQL: the whole hours of that local day; none on a day on which the clock changes, an hour of which may come twice. */
const hoursOfDay = (sql: Sql, at: Fragment) => sql`
  case when (${at}::date + 1)::timestamp at time zone a.timezone - ${at}::date::timestamp at time zone a.timezone = interval '24 hours'
    then extract(hour from ${at})::integer else 0 end`;

const holdState = (sql: Sql, siteId: string) =>
  one(sql<CountState[]>`
    select c.timezone, a.timezone as wanted, c.counted_to::text, ${sql.unsafe(countedHours("c"))} as counted_hours, (uuid_time(f.id) at time zone a.timezone)::date::text as first_day,
      (uuid_time(f.id) at time zone c.timezone)::date::text as first_counted_day,
      countable.at::date::text as countable_to, ${hoursOfDay(sql, sql`countable.at`)} as countable_hours,
      greatest(coalesce((uuid_time(f.id) at time zone a.timezone)::date, 'infinity'), ((now() - make_interval(days => a.log_days)) at time zone a.timezone)::date + 1)::text
        as kept_from
    from notification_count c join site s on s.id = c.site_id join account a on a.id = s.account_id
    left join lateral (select id from notification where site_id = ${siteId} order by id limit 1) f on true
    left join lateral (
      select n.id from (${sql.unsafe(unfinishedEvents("c.site_id"))}) e join notification n on n.site_id = c.site_id and n.event_id = e.id
      where ${sql.unsafe(isOpen("n"))} order by n.id limit 1
    ) o on true
    cross join lateral (select least(${oldEnough(sql)}, uuid_time(o.id) at time zone a.timezone) as at) countable
    where c.site_id = ${siteId}
    for update of c skip locked`);

/** Deletes the records of late changes, and answers those of their days that were counted already, at least in part. */
const takeLateDays = (sql: Sql, siteId: string, timezone: string, before: string) =>
  scalars(sql<{ day: string }[]>`
    with taken as (delete from notification_late where site_id = ${siteId} returning (at at time zone ${timezone})::date as day)
    select distinct day::text from taken where day <= ${before}::date`);

/** Marks up to a week of the days that an earlier version has counted, which took each attempt for a message, and answers them. */
const takeOldDays = (sql: Sql, siteId: string) =>
  scalars(sql<{ day: string }[]>`
    with old as (select distinct day from notification_day where site_id = ${siteId} and not once order by day limit ${daysAtOnce}),
    taken as (update notification_day set once = true where site_id = ${siteId} and day in (select day from old))
    select day::text from old`);

/**
 * The days of the messages that were sent again on `days`. An earlier version that runs beside this one does not note them when it resends. The fence has
 * each day read by its ids: otherwise PostgreSQL reads all messages of the site.
 */
const findRepeatedDays = (sql: Sql, siteId: string, timezone: string, days: Fragment) =>
  scalars(sql<{ day: string }[]>`
    select distinct (uuid_time(n.resend_of) at time zone ${timezone})::date::text as day
    from (${days}) as day cross join lateral (
      select resend_of from notification
      where site_id = ${siteId} and resend_of is not null and id >= uuid_at(day.day::timestamp at time zone ${timezone})
        and id < uuid_at((day.day + 1)::timestamp at time zone ${timezone})
      offset 0
    ) n`);

/** Counts the days anew. */
async function count(sql: Sql, siteId: string, timezone: string, days: Fragment): Promise<void> {
  await sql`delete from notification_day where site_id = ${siteId} and day in (select day from (${days}) d)`;
  await sql`
    insert into notification_day (site_id, day, template, status, error_code, count, once)
    select ${siteId}, day.day, n.template, n.status, n.error_code, n.count, true
    from (${days}) as day
    cross join lateral (${statusesOf(sql, sql`${siteId}::uuid`, {
      start: sql`day.day::timestamp at time zone ${timezone}`,
      stop: sql`(day.day + day.hours * interval '1 hour') at time zone ${timezone}`,
    })}) n`;
}

const addDays = (sql: Sql, start: string, atMost: string) =>
  scalar(sql<[{ day: string }]>`select least(${start}::date + ${daysAtOnce}::integer, ${atMost}::date)::text as day`);

/** ISO 8601 days sort as text; `-infinity` comes before all. */
const later = (a: string, b: string): string => (a === "-infinity" || a < b ? b : a);

/**
 * A number of messages: of a day and status, a site and status, a template and status, or an error code. `by` names the kind; the other columns are null.
 * A day without messages has one row without status.
 */
export interface OverviewRow {
  by: "day" | "site" | "template" | "error" | "counted";
  /** The day as `YYYY-MM-DD`; of `counted` the time since which a part of the messages may have become more. */
  date: string | null;
  site_id: string | null;
  template: string | null;
  status: NotificationStatus | null;
  error_code: string | null;
  count: number;
}

/**
 * Messages by the day on which their newest attempt was made, without those of tests. Days that `countDays` has counted are read from the counts, as are the hours that it has
 * counted of the last; parts of days, and what is not counted yet, from the log, each as a range of ids.
 */
export const countNotifications = (sql: Sql, filter: CountFilter) =>
  sql<OverviewRow[]>`
    with ${countedRows(sql, filter)}
    select case grouping(day, site_id, template, error_code) when 7 then 'day' when 11 then 'site' when 13 then 'template' else 'error' end as by,
      to_char(day, 'YYYY-MM-DD') as date, site_id, template, status, error_code, sum(count)::integer as count
    from counted
    group by grouping sets ((day, status), (site_id, status), (template, status), (error_code)) having sum(count) > 0
    union all
    select 'day', to_char(day, 'YYYY-MM-DD'), null, null, null, null, 0 from day
    union all
    select 'counted', at, null, null, null, null, 0 from (${sql.unsafe(countedAt)}) c
    order by by, date, site_id, template, error_code, status`;

/** The number of failed messages with an error code. */
export interface ErrorCountRow {
  error_code: string;
  count: number;
  /** True if there may be more. */
  more: boolean;
}

/** The most failed messages, the newest, that are read of a site's day that is not counted yet. */
export const mostFailures = 1_000;

/** The error codes of the span, the most frequent first. An index holds all that is read of failed messages. */
export const countErrors = (sql: Sql, filter: CountFilter, limit: number) =>
  sql<ErrorCountRow[]>`
    with ${ownDays(sql, filter)},
    counted as (
      select n.error_code, n.count, false as more
      from notification_day n join own on own.id = n.site_id join day on day.day = n.day
      where day.whole and n.day < own.counted_to and n.error_code <> ''
      union all
      select looked.error_code, 1, looked.is_full
      from own join day on not (day.whole and day.day < coalesce(own.counted_to, '-infinity'))
      cross join lateral (
        select error_code, test, count(*) over () >= ${mostFailures} as is_full from (
          select error_code, test from notification
          where site_id = own.id and error_code is not null and ${sql.unsafe(isNewest("notification"))} and id >= uuid_at(day.start) and id < uuid_at(day.stop)
          order by id desc limit ${mostFailures}
        ) newest
      ) looked
      where not ${sql.unsafe(hasDropCode("looked"))} and not looked.test
    )
    select error_code, sum(count)::integer as count, bool_or(more) as more from counted
    group by error_code order by 2 desc, 1 limit ${limit}`;

/** At least how many messages of a status, a template or any a range has, without those of tests: as many as the last days that are counted say, as far as their messages are kept. */
export const countAtLeast = (
  sql: Sql,
  accountId: string,
  { status, template, ...sites }: NotificationFilter,
  { from, before }: Pick<LogPage, "from" | "before">,
) =>
  scalar(sql<[{ count: number }]>`
    select coalesce(sum(d.count), 0)::integer as count
    from (select id, account_id from site where account_id = ${accountId} ${ofSites(sql, sites)}) own join account a on a.id = own.account_id
    join notification_count c on c.site_id = own.id join notification_day d on d.site_id = own.id and d.day < c.counted_to
      and d.day > greatest(((now() - make_interval(days => a.log_days)) at time zone c.timezone)::date, c.counted_to - 30)
    cross join lateral (select uuid_at(d.day::timestamp at time zone c.timezone) as first, uuid_at((d.day + 1)::timestamp at time zone c.timezone) as stop) id
    where true ${status === undefined ? sql`` : sql`and d.status = ${status}`} ${template === undefined ? sql`` : sql`and d.template = ${template}`}
      ${from === null ? sql`` : sql`and id.first >= ${from}`} ${before === null ? sql`` : sql`and id.stop <= ${before}`}`);

/**
 * The counted rows; the statement needs the common table `counted` too. The larger part of a counted day is what was counted without the `rest`, which is read from the log: as long as all
 * messages of the day are kept, and no late status is to be counted.
 */
const countedRows = (sql: Sql, filter: CountFilter) => sql`
    ${ownDays(sql, filter)},
    rest as materialized (
      select own.id as site_id, day.day from own join day on not day.whole and day.day < own.counted_to and 2 * (day.stop - day.start) > day.last - day.first
      where day.first > now() - make_interval(days => (select log_days from account where id = ${filter.accountId}))
        and (select n.id from notification n where n.site_id = own.id order by n.id limit 1) < uuid_at(day.first)
        and not exists (select from notification_late l where l.site_id = own.id and l.at >= day.first and l.at < day.last)
    ),
    counted as (
      select n.day, n.site_id, n.template, n.status, n.error_code, n.count
      from notification_day n join own on own.id = n.site_id join day on day.day = n.day
      where (day.whole and n.day < own.counted_until) or (n.site_id, n.day) in (select site_id, day from rest)
      union all
      select day.day, own.id, n.template, n.status, n.error_code, part.sign * n.count
      from own left join covered on covered.site_id = own.id join day on not (day.whole and day.day < coalesce(own.counted_to, '-infinity'))
      left join rest on rest.site_id = own.id and rest.day = day.day
      cross join lateral (
        select case when day.whole then greatest(day.start, own.counted_until at time zone ${filter.timezone}) else day.start end, day.stop, 1 where rest.day is null
        union all select day.first, day.start, -1 where rest.day is not null
        union all select day.stop, day.last, -1 where rest.day is not null
      ) part(start, stop, sign)
      cross join lateral ${uncovered(sql, { start: sql`part.start`, stop: sql`part.stop` })} log
      cross join lateral (${statusesOf(sql, sql`own.id`, { start: sql`log.start`, stop: sql`log.stop` })}) n
      union all
      select r.day, r.site_id, n.template, n.status, n.error_code, n.count from recent r
      cross join jsonb_to_recordset(r.statuses) as n(template text, status notification_status, error_code text, count integer)
    )`;

/** The bindings of a template, and the results of its newest messages. */
export interface TemplateUseRow {
  template_id: string;
  /** Sites with a binding of the template. */
  sites: { siteId: string; bindings: number; enabled: number }[];
  /** The messages of the last 30 days that the platform accepted, without those of tests, among those that were looked at. */
  accepted: number;
  /** The accepted ones and all that failed: those that the statistics count as sent or failed. */
  tried: number;
  delivered: number;
  read: number;
  /** The median time from accepted to read; null while nobody has read one. */
  median_read_seconds: number | null;
  /** True if there are older messages of the last 30 days, which were not looked at. */
  more: boolean;
}

/** The most messages, the newest, that are read of each site and event of a template's name. */
export const mostOfKind = 200;

/**
 * One row for each of the account's templates among `ids`, used or not. An index gives the newest messages of a site, template name and event in order; the
 * statement steps through the sites and the few events of each. Messages of the name in other languages count towards what is looked at.
 */
export const readTemplateUse = (sql: Sql, accountId: string, ids: readonly string[], from: string) =>
  sql<TemplateUseRow[]>`
    with recursive wanted as (select id, name from template where account_id = ${accountId} and id = any(${[...ids]}::uuid[])),
    own as (select id as owner, mode from site where account_id = ${accountId}),
    kind as (
      select own.owner, named.name, first.event from own cross join (select distinct name from wanted) named
      cross join lateral (select event from notification where site_id = own.owner and template = named.name and template <> '' order by event limit 1) first
      where own.mode = 'live'
      union all
      select kind.owner, kind.name, next.event from kind
      cross join lateral (
        select event from notification where site_id = kind.owner and template = kind.name and template <> '' and event > kind.event order by event limit 1
      ) next
    ),
    looked as materialized (
      select found.template_id, found.status, found.sent_at, found.read_at, found.test, count(*) over (partition by kind.owner, kind.name, kind.event) >= ${mostOfKind} as more from kind cross join lateral (
        select template_id, status, sent_at, read_at, test from notification
        where site_id = kind.owner and template = kind.name and template <> '' and event = kind.event and id >= ${from} and ${sql.unsafe(isNewest("notification"))}
        order by id desc limit ${mostOfKind}
      ) found
    ),
    counted as (
      select template_id, count(*) filter (where ${sql.unsafe(isAccepted("looked"))} or (status = 'failed' and sent_at is not null))::integer as accepted,
        count(*) filter (where ${sql.unsafe(isAccepted("looked"))} or status = 'failed')::integer as tried,
        count(*) filter (where ${sql.unsafe(isArrived("looked"))})::integer as delivered, count(*) filter (where status = 'read')::integer as read,
        percentile_cont(0.5) within group (order by extract(epoch from read_at - sent_at)) filter (where status = 'read' and read_at >= sent_at) as median,
        bool_or(more) as more
      from looked where not test group by template_id
    )
    select wanted.id as template_id, coalesce(accepted, 0) as accepted, coalesce(tried, 0) as tried, coalesce(delivered, 0) as delivered, coalesce(read, 0) as read,
      median::double precision as median_read_seconds, coalesce(more, false) as more,
      coalesce((
        select json_agg(json_build_object('siteId', site_id, 'bindings', bindings, 'enabled', enabled) order by bindings desc, site_id)
        from (
          select site_id, count(*) as bindings, count(*) filter (where enabled) as enabled from binding
          where template_id = wanted.id and site_id in (select owner from own) group by site_id
        ) used
      ), '[]') as sites
    from wanted left join counted on counted.template_id = wanted.id order by wanted.id`;
