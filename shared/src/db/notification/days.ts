import { type CountedSites, type Fragment, type Sql, countedSites } from "../statement.ts";
import { isDropped, isNewest } from "./statuses.ts";

/** The account's sites, deleted ones too. */
export interface CountFilter extends CountedSites {
  accountId: string;
  /** The beginning, included. */
  from: Date;
  /** The end, excluded. */
  to: Date;
  /** The time zone in which days begin at midnight. */
  timezone: string;
  /** Whether all that may still change is read from the log. */
  exact?: boolean;
}

/** A span of messages by the times of their ids, of a common table; the end is excluded. */
export type Span = Record<"start" | "stop", Fragment>;

/** SQL: messages by template, status and error code; the codes of dropped ones are left out. */
export const statusesOf = (sql: Sql, siteId: Fragment, { start, stop }: Span) => sql`
  select template, status, case when ${sql.unsafe(isDropped("notification"))} then '' else coalesce(error_code, '') end as error_code, count(*)::integer as count
  from notification where site_id = ${siteId} and not test and ${sql.unsafe(isNewest("notification"))} and id >= uuid_at(${start}) and id < uuid_at(${stop})
  group by 1, 2, 3`;

/** SQL: how many hours are counted of the day behind those that `notification_count` has counted. */
export const countedHours = (counts: string): string =>
  `(case when ${counts}.part_day = ${counts}.counted_to and ${counts}.part_timezone = ${counts}.timezone then ${counts}.part_hours else 0 end)`;

/** Hours that were counted again so long ago are read from the log: nobody counts them any more. */
const stale = "2 hours";

/**
 * The common tables `own`, the sites and how far they are counted in that time zone, by days and by the hours of the next, `day`, and of the hours behind these that are
 * counted again and again `recent`, those of that time zone within the span, and `covered`, the spans of them by site.
 */
export const ownDays = (sql: Sql, filter: CountFilter) => sql`
    own as (
      select site.id, case when c.timezone = ${filter.timezone} then c.counted_to end as counted_to,
        case when c.timezone = ${filter.timezone} then c.counted_to + ${sql.unsafe(countedHours("c"))} * interval '1 hour' end as counted_until
      from site left join notification_count c on c.site_id = site.id
      where site.account_id = ${filter.accountId} ${countedSites(sql, "site", filter)}
    ), day as (${daysOf(sql, filter)}),
    recent as materialized (
      select r.site_id, r.start, r.stop, r.counted_at, r.hours, r.statuses, started::date as day, extract(hour from started)::smallint as hour
      from own join notification_recent r on r.site_id = own.id cross join lateral (select r.start at time zone ${filter.timezone}) local(started)
      where ${filter.exact !== true} and r.counted_at > now() - ${stale}::interval and r.start >= own.counted_until at time zone ${filter.timezone}
        and r.start >= ${filter.from} and r.stop <= ${filter.to}
        and started = date_trunc('hour', started) and (r.stop - interval '1 millisecond') at time zone ${filter.timezone} between started and started + interval '1 hour'
    ),
    covered as (select site_id, range_agg(tstzrange(start, stop)) as spans from recent group by site_id)`;

/** SQL: the spans of the log that are left between two times where those of `covered`, joined to the left, are counted. */
export const uncovered = (sql: Sql, { start, stop }: Span) => sql`
  (select lower(span) as start, upper(span) as stop
  from unnest(tstzmultirange(tstzrange(${start}, greatest(${start}, ${stop}))) - coalesce(covered.spans, '{}')) as span)`;

/** SQL: since when nothing that `recent` counts is read again, as ISO 8601; no row if it has nothing. */
export const countedAt = `
  select to_char(min(counted_at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from recent having count(*) > 0`;

/** Each day of the span: its beginning and end, its part in the span, and whether that is the whole day. */
const daysOf = (sql: Sql, { from, to, timezone }: CountFilter) => sql`
  select midnight::date as day, midnight at time zone ${timezone} as first, (midnight + interval '1 day') at time zone ${timezone} as last, greatest(midnight at time zone ${timezone}, ${from}) as start,
    least((midnight + interval '1 day') at time zone ${timezone}, ${to}) as stop,
    midnight at time zone ${timezone} >= ${from} and (midnight + interval '1 day') at time zone ${timezone} <= ${to} as whole
  from generate_series(
    date_trunc('day', ${from}::timestamptz at time zone ${timezone}),
    (${to}::timestamptz - interval '1 millisecond') at time zone ${timezone},
    interval '1 day'
  ) as midnight`;
