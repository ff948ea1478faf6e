import type { Sql } from "../../connect.ts";

export interface LastEventRow {
  site_id: string;
  name: string;
  last_event_id: string;
}

/** The last event of each of the account's enabled sites that has one, were it a test or a dry run. */
export const listLastEvents = (sql: Sql, accountId: string) =>
  sql<LastEventRow[]>`
    select site.id as site_id, site.name, last.id as last_event_id
    from site cross join lateral (select id from event where site_id = site.id order by id desc limit 1) last
    where site.account_id = ${accountId} and site.deleted_at is null and site.enabled`;

/** The hours of the week before `at` in which the site had an event, counted back from 0: the hour that ends with `at`. */
export interface BusyHoursRow {
  site_id: string;
  hours: number[];
}

/** One look at the index for each hour, however many events it had. */
export const listBusyHours = (sql: Sql, sites: readonly { siteId: string; at: Date }[]) =>
  sql<BusyHoursRow[]>`
    select site.id as site_id, json_agg(hour order by hour) as hours
    from unnest(${sites.map(({ siteId }) => siteId)}::uuid[], ${sites.map(({ at }) => at.toISOString())}::text[]::timestamptz[]) as site (id, at), generate_series(0, 167) hour
    where exists (
      select from event where site_id = site.id
        and id > uuid_at(site.at - (hour + 1) * interval '1 hour') and id <= uuid_at(site.at - hour * interval '1 hour')
    )
    group by site.id`;
