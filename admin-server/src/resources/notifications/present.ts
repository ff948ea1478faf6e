import { uuidTime } from "shared/core/uuid";
import type { NotificationDetailRow } from "shared/db/tables/notification/find";
import type { NotificationRow } from "shared/db/tables/notification/list";

export const presentNotification = (row: NotificationRow) => ({
  id: row.id,
  eventId: row.event_id,
  siteId: row.site_id,
  bindingId: row.binding_id,
  templateId: row.template_id,
  template: row.template,
  language: row.language,
  toPhone: row.to_phone,
  status: row.status,
  attempt: row.attempt,
  waMessageId: row.wa_message_id,
  errorCode: row.error_code,
  errorReason: row.error_reason,
  createdAt: new Date(uuidTime(row.id)).toISOString(),
  sentAt: presentTime(row.sent_at),
  deliveredAt: presentTime(row.delivered_at),
  readAt: presentTime(row.read_at),
  failedAt: presentTime(row.failed_at),
});

/** With what was sent and the platform's whole error, each as the JSON text that is stored. */
export const presentNotificationDetail = (row: NotificationDetailRow) => ({
  ...presentNotification(row),
  components: row.components,
  errorDetail: row.error_detail,
});

const presentTime = (time: Date | null): string | null => time && time.toISOString();
