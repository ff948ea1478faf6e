import type { Fragment } from "postgres";
import type { Sql } from "../../connect.ts";

/** Where the counting of a site's days stands. Days as `YYYY-MM-DD`. */
interface CountState {
  timezone: string;
  /** The account's now. */
  wanted: string;
  counted_to: string;
  /** That of the oldest message that is left; null without any. */
  first_day: string | null;
  /** The same in the zone that was counted in. */
  first_counted_day: string | null;
  /** Up to here, not included, days are old enough, and every message of theirs has been handed over or given up. */
  countable_to: string;
}

/** Days that one call counts: bounds how long it holds the site. */
const daysAtOnce = 7;

/** Sites of which there is something to count, the longest behind first. */
export const findSitesToCount = async (sql: Sql, limit: number): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
    select s.id from site s join account a on a.id = s.account_id left join notification_count c on c.site_id = s.id
    where c.site_id is null or c.timezone <> a.timezone or c.counted_to < ${oldEnough(sql)} or s.id in (select site_id from notification_late)
    order by c.counted_to nulls first limit ${limit}`;
  return rows.map(({ id }) => id);
};

/**
 * Counts a site's messages by day, template, status and error code, up to a week of days, and counts anew those days whose statuses changed since.
 * Answers whether there is more to do. In a transaction: it holds the site's state, so that whoever else comes does nothing meanwhile.
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
  // After a change of the time zone all is counted anew but the days before the oldest message, which may fall on another day in the other zone.
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

/** A day may be counted when it has been over for 24 hours: by then nearly every status has come, and later ones are noted (`applyStatuses`). */
const oldEnough = (sql: Sql) => sql`((now() - interval '24 hours') at time zone a.timezone)::date`;

async function holdState(sql: Sql, siteId: string): Promise<CountState | undefined> {
  const [state] = await sql<CountState[]>`
    select c.timezone, a.timezone as wanted, c.counted_to::text, (uuid_time(f.id) at time zone a.timezone)::date::text as first_day,
      (uuid_time(f.id) at time zone c.timezone)::date::text as first_counted_day,
      least(${oldEnough(sql)}, (uuid_time(o.id) at time zone a.timezone)::date)::text as countable_to
    from notification_count c join site s on s.id = c.site_id join account a on a.id = s.account_id
    left join lateral (select id from notification where site_id = ${siteId} order by id limit 1) f on true
    left join lateral (
      select n.id from event e join notification n on n.site_id = e.site_id and n.event_id = e.id
      where e.site_id = ${siteId} and e.lease_until is not null and n.status in ('queued', 'sending') order by n.id limit 1
    ) o on true
    where c.site_id = ${siteId}
    for update of c skip locked`;
  return state;
}

/** Takes the notes of late changes, and answers the days among them that were counted before. */
async function takeLateDays(sql: Sql, siteId: string, timezone: string, before: string): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    with taken as (delete from notification_late where site_id = ${siteId} returning (at at time zone ${timezone})::date as day)
    select distinct day::text from taken where day < ${before}::date`;
  return rows.map(({ day }) => day);
}

/** Replaces what is counted of the days. */
async function count(sql: Sql, siteId: string, timezone: string, days: Fragment): Promise<void> {
  await sql`delete from notification_day where site_id = ${siteId} and day in (${days})`;
  await sql`
    insert into notification_day (site_id, day, template, status, error_code, count)
    select ${siteId}, day.day, n.template, n.status, n.error_code, n.count
    from (${days}) as day(day)
    cross join lateral (
      select template, status, coalesce(error_code, '') as error_code, count(*)::integer as count from notification
      where site_id = ${siteId} and id >= uuid_at(day.day::timestamp at time zone ${timezone})
        and id < uuid_at((day.day + 1)::timestamp at time zone ${timezone})
      group by template, status, coalesce(error_code, '')
    ) n`;
}

async function addDays(sql: Sql, start: string, atMost: string): Promise<string> {
  const [row] = await sql<[{ day: string }]>`select least(${start}::date + ${daysAtOnce}::integer, ${atMost}::date)::text as day`;
  return row.day;
}

/** ISO 8601 days sort as they follow; `-infinity` is before all. */
const later = (a: string, b: string): string => (a === "-infinity" || a < b ? b : a);
