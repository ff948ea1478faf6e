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

/** One row a day and status; a day without messages has one row without status. */
export interface DayCount {
  /** `YYYY-MM-DD`. */
  date: string;
  status: NotificationStatus | null;
  count: number;
}

/** Messages by the day on which they were made. Each day is a range of ids, so it reads its own part of the log and no other. */
export const countNotificationsByDay = (sql: Sql, { accountId, siteId, from, to, timezone }: CountFilter) =>
  sql<DayCount[]>`
    with own as (
      select array(
        select id from site where account_id = ${accountId} ${siteId === null ? sql`` : sql`and id = ${siteId}`}
      ) as sites
    ), day as (
      select midnight,
        greatest(midnight at time zone ${timezone}, ${from}) as start,
        least((midnight + interval '1 day') at time zone ${timezone}, ${to}) as stop
      from generate_series(
        date_trunc('day', ${from}::timestamptz at time zone ${timezone}),
        (${to}::timestamptz - interval '1 millisecond') at time zone ${timezone},
        interval '1 day'
      ) as midnight
    )
    select to_char(day.midnight, 'YYYY-MM-DD') as date, counted.status, coalesce(counted.count, 0) as count
    from day
    cross join own
    left join lateral (
      select notification.status, count(*)::integer as count from notification
      where notification.site_id = any(own.sites) and notification.id >= uuid_at(day.start) and notification.id < uuid_at(day.stop)
      group by notification.status
    ) counted on true
    order by day.midnight, counted.status`;
