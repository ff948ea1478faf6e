import type { Sql } from "../../connect.ts";
import type { LogPage } from "../log-page.ts";

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

export const eventColumns = (sql: Sql) =>
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
