import { type CountedSites, type Sql, countedSites } from "../statement.ts";

/** The account's sites, deleted ones too. */
export interface CountFilter extends CountedSites {
  accountId: string;
  /** The beginning, included. */
  from: Date;
  /** The end, excluded. */
  to: Date;
  /** The time zone in which days begin at midnight. */
  timezone: string;
}

/** SQL: how many hours are counted of the day behind those that `notification_count` has counted. */
export const countedHours = (counts: string): string =>
  `(case when ${counts}.part_day = ${counts}.counted_to and ${counts}.part_timezone = ${counts}.timezone then ${counts}.part_hours else 0 end)`;

/** The common tables `own`, the sites and how far they are counted in that time zone, by days and by the hours of the next, and `day`. */
export const ownDays = (sql: Sql, filter: CountFilter) => sql`
    own as (
      select site.id, case when c.timezone = ${filter.timezone} then c.counted_to end as counted_to,
        case when c.timezone = ${filter.timezone} then c.counted_to + ${sql.unsafe(countedHours("c"))} * interval '1 hour' end as counted_until
      from site left join notification_count c on c.site_id = site.id
      where site.account_id = ${filter.accountId} ${countedSites(sql, "site", filter)}
    ), day as (${daysOf(sql, filter)})`;

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
