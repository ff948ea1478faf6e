import type { NotificationStatus } from "../../../core/notification-status.ts";
import type { Sql } from "../../connect.ts";
import type { LogPage } from "../log-page.ts";
import { notificationSource, type NotificationFilter } from "./source.ts";

/** A message without what was sent in it. */
export interface NotificationRow {
  id: string;
  site_id: string;
  event_id: string;
  /** The event's name. */
  event: string;
  binding_id: string;
  template_id: string;
  template: string;
  /** The template's, as the platform sees it now; null when the template is gone. */
  category: string | null;
  language: string;
  to_phone: string;
  status: NotificationStatus;
  attempt: number;
  wa_message_id: string | null;
  error_code: string | null;
  error_reason: string | null;
  /** JSON: the platform's whole error; null also when it is very long. */
  error_detail: string | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
  resend_of: string | null;
  resent_as: string | null;
}

/** Of a row of `notification`. */
export const notificationColumns = (sql: Sql) =>
  sql`id, site_id, event_id, event, binding_id, template_id, template, (select t.category from template t where t.id = template_id) as category,
    language, to_phone, status, attempt, wa_message_id, error_code, error_reason,
    case when octet_length(error_detail) <= 10000 then error_detail end as error_detail, sent_at, delivered_at, read_at, failed_at, resend_of, resent_as`;

/** A page of the account's messages, newest first, those of deleted sites too. Each site's own index gives its newest in order: see `listEvents`. */
export const listNotifications = (sql: Sql, accountId: string, filter: NotificationFilter, page: LogPage) =>
  sql<NotificationRow[]>`
    with recursive ${notificationSource(sql, accountId, filter, page)}
    select ${notificationColumns(sql)} from page order by id desc limit ${page.limit}`;
