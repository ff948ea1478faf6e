import type { Sql } from "../connect.ts";
import { type LogPage, withinPage } from "../ids.ts";
import { isDropped, isNewest } from "./statuses.ts";

/** A message that failed. */
export interface FailureRow {
  id: string;
  site_id: string;
  binding_id: string;
  template: string;
  error_code: string;
  /** The stored reason of a message whose variable had no value; null for others. */
  empty_slots: string | null;
  /** Whether it failed by the account's present stop. */
  of_stop: boolean;
}

/** The account's present stop: the platform's code, and since when. */
export interface PresentStop {
  code: string;
  at: Date;
}

/**
 * SQL: whether a failed message is one of the present stop, not of an earlier one that was cured. What the platform refused or reported may have failed
 * shortly before the stop is written down, and what was not tried by a moment.
 */
const isOfStop = (sql: Sql, stop: PresentStop | null) =>
  stop === null
    ? sql`false`
    : sql`coalesce(failed_at >= case error_code when 'account_stopped' then ${stop.at}::timestamptz - interval '1 second'
        when ${stop.code} then ${stop.at}::timestamptz - interval '1 minute' end, false)`;

/** The messages of the present stop, by site, template and error code. `more`: among the newest failed ones of the site, which alone were looked at. */
export const countOfStop = (
  sql: Sql,
  accountId: string,
  siteId: string | undefined,
  page: Pick<LogPage, "from" | "before">,
  stop: PresentStop,
) =>
  sql<{ site_id: string; template: string; error_code: string; count: number; more: boolean }[]>`
    select looked.site_id, template, error_code, count(*)::integer as count, max(seen) >= ${mostFailuresLooked} as more
    from site cross join lateral (
      select site_id, template, error_code, ${isOfStop(sql, stop)} and status = 'failed' and not test and ${sql.unsafe(isNewest("newest"))} as of_stop,
        count(*) over () as seen
      from (
        select site_id, template, error_code, failed_at, status, test, resent_as from notification where site_id = site.id and error_code is not null ${withinPage(sql, page)}
        order by id desc limit ${mostFailuresLooked}
      ) newest
    ) looked
    where site.account_id = ${accountId} and site.deleted_at is null ${siteId === undefined ? sql`` : sql`and site.id = ${siteId}`} and of_stop
    group by looked.site_id, template, error_code`;

const mostFailuresLooked = 20_000;

/** The newest failed messages of each of the account's sites but tests, at most `most` a site: an index holds these alone. */
export const listFailures = (
  sql: Sql,
  accountId: string,
  siteId: string | undefined,
  page: Pick<LogPage, "from" | "before">,
  most: number,
  stop: PresentStop | null = null,
) =>
  sql<FailureRow[]>`
    select failed.id, failed.site_id, failed.binding_id, failed.template, failed.error_code, failed.empty_slots, failed.of_stop
    from site cross join lateral (
      select id, site_id, binding_id, template, error_code, case when error_code = 'slot_unresolved' then error_reason end as empty_slots,
        ${isOfStop(sql, stop)} as of_stop
      from notification
      where site_id = site.id and error_code is not null and not ${sql.unsafe(isDropped("notification"))} and ${sql.unsafe(isNewest("notification"))}
        and not test ${withinPage(sql, page)}
      order by id desc limit ${most}
    ) failed
    where site.account_id = ${accountId} and site.deleted_at is null ${siteId === undefined ? sql`` : sql`and site.id = ${siteId}`}`;
