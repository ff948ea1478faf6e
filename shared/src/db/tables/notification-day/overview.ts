import type { NotificationStatus } from "../../../core/notification-status.ts";
import type { Sql } from "../../connect.ts";

export interface CountFilter {
  accountId: string;
  /** Null: all of the account's, deleted ones too. */
  siteId: string | null;
  /** Included. */
  from: Date;
  /** Excluded. */
  to: Date;
  /** Whose midnights part the days. */
  timezone: string;
}

/**
 * How many messages there are of one day and status, of one site and status, of one template and status, or of one error code; `by` tells which, the
 * other columns are null. A day without messages has one row without status.
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
 * Messages by the day on which they were made. Whole days that are counted (`countDays`) are read from the counts; the last two, the ends of a span that
 * begins or ends within a day, and whatever is not counted yet from the log, each a range of ids.
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
        select template, status, coalesce(error_code, '') as error_code, count(*)::integer as count from notification
        where site_id = own.id and id >= uuid_at(day.start) and id < uuid_at(day.stop)
        group by template, status, error_code
      ) n
    )
    select case grouping(day, site_id, template, error_code) when 7 then 'day' when 11 then 'site' when 13 then 'template' else 'error' end as by,
      to_char(day, 'YYYY-MM-DD') as date, site_id, template, status, error_code, sum(count)::integer as count
    from counted
    group by grouping sets ((day, status), (site_id, status), (template, status), (error_code))
    union all
    select 'day', to_char(day, 'YYYY-MM-DD'), null, null, null, null, 0 from day
    order by by, date, site_id, template, error_code, status`;

/** Each day that the span touches: what of it lies in the span, and whether that is all of it. */
const daysOf = (sql: Sql, { from, to, timezone }: CountFilter) => sql`
  select midnight::date as day, greatest(midnight at time zone ${timezone}, ${from}) as start,
    least((midnight + interval '1 day') at time zone ${timezone}, ${to}) as stop,
    midnight at time zone ${timezone} >= ${from} and (midnight + interval '1 day') at time zone ${timezone} <= ${to} as whole
  from generate_series(
    date_trunc('day', ${from}::timestamptz at time zone ${timezone}),
    (${to}::timestamptz - interval '1 millisecond') at time zone ${timezone},
    interval '1 day'
  ) as midnight`;
