import type { Fragment } from "postgres";
import type { NotificationStatus } from "../../core/message.ts";
import type { Sql } from "../connect.ts";
import { unfinishedEvents } from "../event/lease.ts";
import { isOpen } from "./statuses.ts";

/** How far a site's days are counted. Days as `YYYY-MM-DD`. */
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
}

/** Days that one call counts: bounds how long it locks the site. */
const daysAtOnce = 7;

/** Sites with days to count, the furthest behind first. */
export async function findSitesToCount(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select s.id from site s join account a on a.id = s.account_id left join notification_count c on c.site_id = s.id
    where c.site_id is null or c.timezone <> a.timezone or c.counted_to < ${oldEnough(sql)} or s.id in (select site_id from notification_late)
    order by c.counted_to nulls first limit ${limit}`;
  return rows.map(({ id }) => id);
}

/**
 * Counts up to a week of a site's days by template, status and error code, and recounts days whose statuses changed since. Answers whether there is more to
 * do. In a transaction: it locks the site's state, and others skip the site meanwhile.
 */
export async function countDays(sql: Sql, siteId: string): Promise<boolean> {
  await sql`
    insert into notification_count (site_id, timezone, counted_to)
    select s.id, a.timezone, '-infinity' from site s join account a on a.id = s.account_id where s.id = ${siteId}
    on conflict do nothing`;
  const state = await holdState(sql, siteId);
  if (state === undefined) return false;
  const { countable_to, first_day, first_counted_day, wanted } = state;
  const start = state.timezone === wanted ? later(state.counted_to, first_day ?? countable_to) : (first_day ?? countable_to);
  // After a change of the time zone all days are counted again, except those before the oldest message.
  if (state.timezone !== wanted) {
    const from = [start, first_counted_day ?? start].toSorted()[0] ?? start;
    await sql`delete from notification_day where site_id = ${siteId} and day >= ${from}::date`;
  }
  const end = await addDays(sql, start, countable_to);
  const late = await takeLateDays(sql, siteId, wanted, start);
  await count(sql, siteId, wanted, sql`select unnest(${late}::text[])::date`);
  await count(sql, siteId, wanted, sql`select generate_series(${start}::date, ${end}::date - 1, interval '1 day')::date`);
  await sql`update notification_count set timezone = ${wanted}, counted_to = greatest(${start}::date, ${end}::date) where site_id = ${siteId}`;
  return end < countable_to;
}

/** A day may be counted 24 hours after its end: nearly every status has come by then, and `applyStatuses` records later ones. */
const oldEnough = (sql: Sql) => sql`((now() - interval '24 hours') at time zone a.timezone)::date`;

async function holdState(sql: Sql, siteId: string): Promise<CountState | undefined> {
  const [state] = await sql<CountState[]>`
    select c.timezone, a.timezone as wanted, c.counted_to::text, (uuid_time(f.id) at time zone a.timezone)::date::text as first_day,
      (uuid_time(f.id) at time zone c.timezone)::date::text as first_counted_day,
      least(${oldEnough(sql)}, (uuid_time(o.id) at time zone a.timezone)::date)::text as countable_to
    from notification_count c join site s on s.id = c.site_id join account a on a.id = s.account_id
    left join lateral (select id from notification where site_id = ${siteId} order by id limit 1) f on true
    left join lateral (
      select n.id from (${sql.unsafe(unfinishedEvents("c.site_id"))}) e join notification n on n.site_id = c.site_id and n.event_id = e.id
      where ${sql.unsafe(isOpen("n"))} order by n.id limit 1
    ) o on true
    where c.site_id = ${siteId}
    for update of c skip locked`;
  return state;
}

/** Deletes the records of late changes, and answers those of their days that were counted already. */
async function takeLateDays(sql: Sql, siteId: string, timezone: string, before: string): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    with taken as (delete from notification_late where site_id = ${siteId} returning (at at time zone ${timezone})::date as day)
    select distinct day::text from taken where day < ${before}::date`;
  return rows.map(({ day }) => day);
}

/** Replaces the counts of the days. */
async function count(sql: Sql, siteId: string, timezone: string, days: Fragment): Promise<void> {
  await sql`delete from notification_day where site_id = ${siteId} and day in (${days})`;
  await sql`
    insert into notification_day (site_id, day, template, status, error_code, count)
    select ${siteId}, day.day, n.template, n.status, n.error_code, n.count
    from (${days}) as day(day)
    cross join lateral (
      select template, status, ${shownError(sql)} as error_code, count(*)::integer as count from notification
      where site_id = ${siteId} and id >= uuid_at(day.day::timestamp at time zone ${timezone})
        and id < uuid_at((day.day + 1)::timestamp at time zone ${timezone})
      group by 1, 2, 3
    ) n`;
}

/** A cancelled message tells why, which is no error. */
const shownError = (sql: Sql) => sql`case when status = 'cancelled' then '' else coalesce(error_code, '') end`;

async function addDays(sql: Sql, start: string, atMost: string): Promise<string> {
  const [row] = await sql<[{ day: string }]>`select least(${start}::date + ${daysAtOnce}::integer, ${atMost}::date)::text as day`;
  return row.day;
}

/** ISO 8601 days sort as text; `-infinity` comes before all. */
const later = (a: string, b: string): string => (a === "-infinity" || a < b ? b : a);

export interface CountFilter {
  accountId: string;
  /** Null: all sites of the account, deleted ones too. */
  siteId: string | null;
  /** Included. */
  from: Date;
  /** Excluded. */
  to: Date;
  /** Days begin at midnight in it. */
  timezone: string;
}

/**
 * A number of messages: of a day and status, a site and status, a template and status, or an error code. `by` says which; the other columns are null. A day
 * without messages has one row without status.
 */
export interface OverviewRow {
  by: "day" | "site" | "template" | "error";
  /** `YYYY-MM-DD`. */
  date: string | null;
  site_id: string | null;
  template: string | null;
  status: NotificationStatus | null;
  error_code: string | null;
  count: number;
}

/**
 * Messages by the day of their creation. Days that `countDays` has counted are read from the counts; parts of days, and days that are not counted yet, from
 * the log, each as a range of ids.
 */
export const countNotifications = (sql: Sql, filter: CountFilter) =>
  sql<OverviewRow[]>`
    with own as (
      select site.id, case when c.timezone = ${filter.timezone} then c.counted_to end as counted_to
      from site left join notification_count c on c.site_id = site.id
      where site.account_id = ${filter.accountId} ${filter.siteId === null ? sql`` : sql`and site.id = ${filter.siteId}`}
    ), day as (${daysOf(sql, filter)}),
    counted as (
      select n.day, n.site_id, n.template, n.status, n.error_code, n.count
      from notification_day n join own on own.id = n.site_id join day on day.day = n.day
      where day.whole and n.day < own.counted_to
      union all
      select day.day, own.id, n.template, n.status, n.error_code, n.count
      from own join day on not (day.whole and day.day < coalesce(own.counted_to, '-infinity'))
      cross join lateral (
        select template, status, ${shownError(sql)} as error_code, count(*)::integer as count from notification
        where site_id = own.id and id >= uuid_at(day.start) and id < uuid_at(day.stop)
        group by 1, 2, 3
      ) n
    )
    select case grouping(day, site_id, template, error_code) when 7 then 'day' when 11 then 'site' when 13 then 'template' else 'error' end as by,
      to_char(day, 'YYYY-MM-DD') as date, site_id, template, status, error_code, sum(count)::integer as count
    from counted
    group by grouping sets ((day, status), (site_id, status), (template, status), (error_code))
    union all
    select 'day', to_char(day, 'YYYY-MM-DD'), null, null, null, null, 0 from day
    order by by, date, site_id, template, error_code, status`;

/** Each day of the span: its part in the span, and whether that is the whole day. */
const daysOf = (sql: Sql, { from, to, timezone }: CountFilter) => sql`
  select midnight::date as day, greatest(midnight at time zone ${timezone}, ${from}) as start,
    least((midnight + interval '1 day') at time zone ${timezone}, ${to}) as stop,
    midnight at time zone ${timezone} >= ${from} and (midnight + interval '1 day') at time zone ${timezone} <= ${to} as whole
  from generate_series(
    date_trunc('day', ${from}::timestamptz at time zone ${timezone}),
    (${to}::timestamptz - interval '1 millisecond') at time zone ${timezone},
    interval '1 day'
  ) as midnight`;
