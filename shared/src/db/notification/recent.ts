import { type Sql, scalars } from "../statement.ts";
import { countedHours, statusesOf } from "./days.ts";
import { hoursOf } from "./hours.ts";

/** An account with fewer messages in a day is answered from the log. */
const fewInDay = 5_000;
/** As is a site with so few. */
const fewAtSite = 100;
/** The hours that one statement counts, the newest first. */
const hoursAtOnce = 6;

/** SQL: whether somebody, or a program, has asked for something of account `a` within the hour. */
const isWatched = `(a.id in (
  select account_id from user_session where last_used_at > now() - interval '1 hour' union all select account_id from access_token where last_used_at > now() - interval '1 hour'))`;

/**
 * The sites whose last day is to be counted again: those of accounts with many messages in it. It is looked at whether an account has so many at one minute in fifteen, of accounts that
 * were found to have them at each.
 */
export const findBusySites = (sql: Sql, everyAccount = false) =>
  scalars(sql<{ id: string }[]>`
    with busy as materialized (
      select a.id from account a
      where (${everyAccount} or mod(abs(hashtext(a.id::text)), 15) = mod(extract(minute from now())::integer, 15)
          or exists (select from site x join notification_recent r on r.site_id = x.id where x.account_id = a.id and r.counted_at > now() - interval '2 hours'))
        and ${fewInDay} = (select count(*) from (
          select from site x cross join lateral (select from notification where site_id = x.id and id >= uuid_at(now() - interval '24 hours') limit ${fewInDay}) n
          where x.account_id = a.id limit ${fewInDay}) few)
    )
    select s.id from busy join site s on s.account_id = busy.id
    where exists (select from notification where site_id = s.id and id >= uuid_at(now() - interval '24 hours') offset ${fewAtSite - 1} limit 1)`);

/** Deletes the hours that nobody counts again any more: those of accounts that have fewer messages now, and of deleted sites. */
export const forgetRecent = (sql: Sql) => sql`delete from notification_recent where counted_at < now() - interval '1 day'`;

/**
 * Counts a site's hours behind those that are counted for good, up to now: the newest about once a minute, others of the last day once in a quarter of an hour, and all once an hour while
 * nobody asks for anything. Answers whether there is more to do.
 */
export async function countRecent(sql: Sql, siteId: string): Promise<boolean> {
  const { length } = await sql`
    with held as materialized (
      select c.site_id, a.timezone, greatest(until, date_bin('1 hour', now() - interval '2 days', until)) as begin, ${sql.unsafe(isWatched)} as is_watched
      from notification_count c join site s on s.id = c.site_id join account a on a.id = s.account_id
      cross join lateral (select (c.counted_to + ${sql.unsafe(countedHours("c"))} * interval '1 hour') at time zone a.timezone as until) counted
      where c.site_id = ${siteId} and c.timezone = a.timezone and c.counted_to > '-infinity' for update of c skip locked
    ),
    past as (delete from notification_recent r using held where r.site_id = held.site_id and r.start < held.begin),
    due as materialized (
      select held.timezone, hour.start, least(hour.start + interval '1 hour', now()) as stop
      from held cross join lateral generate_series(held.begin, now() - interval '1 millisecond', interval '1 hour') as hour(start)
      left join notification_recent r on r.site_id = held.site_id and r.start = hour.start
      where r.site_id is null or r.counted_at < now() - case when not is_watched then interval '1 hour'
        when hour.start > now() - interval '2 hours' then interval '50 seconds' else interval '15 minutes' end
      order by hour.start desc limit ${hoursAtOnce}
    )
    insert into notification_recent (site_id, start, stop, counted_at, hours, statuses)
    select ${siteId}, due.start, due.stop, now(),
      coalesce((select jsonb_agg(h) from (${hoursOf(sql, sql`${siteId}::uuid`, { start: sql`due.start`, stop: sql`due.stop`, timezone: sql`due.timezone` })}) h), '[]'),
      coalesce((select jsonb_agg(s) from (${statusesOf(sql, sql`${siteId}::uuid`, { start: sql`due.start`, stop: sql`due.stop` })}) s), '[]')
    from due order by due.start
    on conflict (site_id, start) do update set stop = excluded.stop, counted_at = excluded.counted_at, hours = excluded.hours, statuses = excluded.statuses
    returning site_id`;
  return length === hoursAtOnce;
}
