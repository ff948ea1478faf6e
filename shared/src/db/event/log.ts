import type { Sql } from "../connect.ts";
import type { LogPage } from "../paging.ts";

export interface EventDetailRow extends EventRow {
  /** The text received; null when it was forgotten before its event. */
  payload: string | null;
  /** JSON: what its messages do not tell; null when they tell all. */
  trace: string | null;
}

/** The account's event. Names each of the account's sites, because the key begins with it. */
export async function findEvent(sql: Sql, accountId: string, id: string): Promise<EventDetailRow | undefined> {
  const [row] = await sql<EventDetailRow[]>`
    select ${eventColumns(sql)}, payload, trace from event left join event_payload using (site_id, id)
    where id = ${id} and site_id = any(array(select id from site where account_id = ${accountId}))`;
  return row;
}

/** An event without its payload. */
export interface EventRow {
  id: string;
  site_id: string;
  source: string;
  name: string;
  test: boolean;
  dry_run: boolean;
  order_id: string | null;
  idempotency_key: string | null;
  bindings_run: number;
  chat: string | null;
  recipients_sent: number;
  recipients_failed: number;
  /** How often it came again with its key and got the same answer. */
  replays: number;
}

export interface EventFilter {
  siteId?: string | undefined;
  name?: string | undefined;
  orderId?: string | undefined;
  test?: boolean | undefined;
  dryRun?: boolean | undefined;
}

const eventColumns = (sql: Sql) =>
  sql`id, site_id, source, name, test, dry_run, order_id, idempotency_key, bindings_run, chat, recipients_sent, recipients_failed,
    replays`;

/**
 * A page of the account's events, newest first, those of deleted sites too. Each site's own index gives its newest in order, so that a page costs the same
 * however long the log is.
 */
export const listEvents = (sql: Sql, accountId: string, filter: EventFilter, page: LogPage) =>
  sql<EventRow[]>`
    select ${eventColumns(sql)} from (
      select id as owner from site where account_id = ${accountId} ${filter.siteId === undefined ? sql`` : sql`and id = ${filter.siteId}`}
    ) site
    cross join lateral (
      select ${eventColumns(sql)} from event
      where site_id = site.owner
        ${filter.name === undefined ? sql`` : sql`and name = ${filter.name} and name <> ''`}
        ${filter.orderId === undefined ? sql`` : sql`and order_id = ${filter.orderId}`}
        ${filter.test === undefined ? sql`` : sql`and test = ${filter.test}`}
        ${filter.dryRun === undefined ? sql`` : sql`and dry_run = ${filter.dryRun}`}
        ${page.from === null ? sql`` : sql`and id >= ${page.from}`}
        ${page.before === null ? sql`` : sql`and id < ${page.before}`}
      order by id desc limit ${page.limit}
    ) event
    order by id desc limit ${page.limit}`;

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
