import { hasNoNews } from "shared/core/message";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import type { NotificationDetailRow } from "shared/db/notification/log";
import type { NotificationRow } from "shared/db/notification/log";
import { readStoredError } from "shared/platform/errors/classify";
import { explain, resendOutlook } from "shared/platform/errors/classify";
import { seesPhones, shownJson, shownPhone, shownText } from "../../trpc/shown-phone.ts";

export interface Viewer {
  role: Role;
  now: Date;
}

export const presentNotification = (row: NotificationRow, { role, now }: Viewer) => ({
  id: row.id,
  eventId: row.event_id,
  event: shownText(row.event, role),
  siteId: row.site_id,
  bindingId: row.binding_id,
  templateId: row.template_id,
  template: row.template,
  language: row.language,
  toPhone: shownPhone(row.to_phone, role),
  status: row.status,
  /** The platform took it and never said more in all the time that it tries for: it was dropped, as far as can be told. */
  noNews: hasNoNews({ status: row.status, category: row.category, sentAt: row.sent_at }, now),
  attempt: row.attempt,
  /** The platform's ids hold the phone, in a form that is easily read back. */
  waMessageId: seesPhones(role) ? row.wa_message_id : null,
  errorCode: row.error_code,
  errorReason: row.error_reason && shownText(row.error_reason, role),
  ...presentFailure(row, role),
  createdAt: new Date(uuidTime(row.id)).toISOString(),
  sentAt: presentTime(row.sent_at),
  deliveredAt: presentTime(row.delivered_at),
  readAt: presentTime(row.read_at),
  failedAt: presentTime(row.failed_at),
  /** The message that this one repeats, and the one that repeats this. */
  resendOf: row.resend_of,
  resentAs: row.resent_as,
});

/** With what was sent and the platform's whole error, each as the JSON text that is stored. */
export const presentNotificationDetail = (row: NotificationDetailRow, viewer: Viewer) => ({
  ...presentNotification({ ...row, error_detail: row.whole_error }, viewer),
  components: shownJson(row.components, viewer.role),
  errorDetail: row.whole_error && shownJson(row.whole_error, viewer.role),
});

/** In plain words what went wrong and what to do, and the platform's own for its support. Null where nothing failed. */
function presentFailure({ error_code: code, error_detail, resent_as }: NotificationRow, role: Role) {
  if (code === null) return { error: null, explanation: null, resend: null };
  const { subcode, title, details, traceId } = readStoredError(error_detail);
  const shown = (text: string | null): string | null => text && shownText(text, role);
  return {
    error: { code, subcode, title: shown(title), details: shown(details), traceId },
    explanation: explain({ code, subcode }),
    /** What a resend would come to; null once there is one. */
    resend: resent_as === null ? resendOutlook({ code, subcode }) : null,
  };
}

const presentTime = (time: Date | null): string | null => time && time.toISOString();
