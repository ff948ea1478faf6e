import type { NotificationStatus } from "../../../core/notification-status.ts";
import type { Sql } from "../../connect.ts";
import type { LogPage } from "../log-page.ts";

/** A message without what was sent in it. */
export interface NotificationRow {
  id: string;
  site_id: string;
  event_id: string;
  binding_id: string;
  template_id: string;
  template: string;
  language: string;
  to_phone: string;
  status: NotificationStatus;
  attempt: number;
  wa_message_id: string | null;
  error_code: string | null;
  error_reason: string | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
}

export interface NotificationFilter {
  siteId?: string | undefined;
  eventId?: string | undefined;
  status?: NotificationStatus | undefined;
  /** The event's name. */
  event?: string | undefined;
  phone?: string | undefined;
  template?: string | undefined;
}

export const notificationColumns = (sql: Sql) =>
  sql`id, site_id, event_id, binding_id, template_id, template, language, to_phone, status, attempt, wa_message_id, error_code, error_reason,
    sent_at, delivered_at, read_at, failed_at`;

/** A page of the account's messages, newest first, those of deleted sites too. Each site's own index gives its newest in order: see `listEvents`. */
export const listNotifications = (sql: Sql, accountId: string, filter: NotificationFilter, page: LogPage) =>
  sql<NotificationRow[]>`
    select ${notificationColumns(sql)} from (
      select id as owner from site where account_id = ${accountId} ${filter.siteId === undefined ? sql`` : sql`and id = ${filter.siteId}`}
    ) site
    cross join lateral (
      select ${notificationColumns(sql)} from notification
      where site_id = site.owner ${conditions(sql, filter)}
        ${page.from === null ? sql`` : sql`and id >= ${page.from}`}
        ${page.before === null ? sql`` : sql`and id < ${page.before}`}
      order by id desc limit ${page.limit}
    ) notification
    order by id desc limit ${page.limit}`;

const conditions = (sql: Sql, filter: NotificationFilter) => sql`
  ${filter.eventId === undefined ? sql`` : sql`and event_id = ${filter.eventId}`}
  ${filter.status === undefined ? sql`` : sql`and status = ${filter.status}`}
  ${filter.phone === undefined ? sql`` : sql`and to_phone = ${filter.phone}`}
  ${filter.template === undefined ? sql`` : sql`and template = ${filter.template}`}
  ${filter.event === undefined ? sql`` : sql`and ${filter.event} = (select e.name from event e where e.site_id = site.owner and e.id = notification.event_id)`}`;
