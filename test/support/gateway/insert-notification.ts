import type { NotificationStatus } from "shared/core/message";
import type { Pool } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { encodeReference } from "shared/platform/client";

export interface InsertedNotification {
  id: string;
  siteId: string;
  reference: string;
}

export interface NotificationState {
  status: NotificationStatus;
  localFailure?: boolean | undefined;
  attempt?: number | undefined;
  waMessageId?: string | null | undefined;
  inDoubt?: boolean | undefined;
  errorCode?: string | null | undefined;
  sentAt?: Date | null | undefined;
  failedAt?: Date | null | undefined;
}

/** One row of the log per state, in one statement. */
export const insertNotifications = async (
  sql: Pool,
  shop: { accountId: string; siteId: string; templateId: string; bindingId: string },
  states: readonly NotificationState[],
): Promise<InsertedNotification[]> => {
  const eventId = newId();
  const rows = states.map((state, position) => ({
    id: newId(),
    site_id: shop.siteId,
    account_id: shop.accountId,
    event_id: eventId,
    binding_id: shop.bindingId,
    template_id: shop.templateId,
    template: "order_created",
    language: "en_US",
    to_phone: "+15551230001",
    position,
    status: state.status,
    local_failure: state.localFailure ?? false,
    attempt: state.attempt ?? 1,
    components: "[]",
    wa_message_id: state.waMessageId ?? null,
    error_code: state.errorCode ?? null,
    in_doubt_since: state.inDoubt === true ? new Date() : null,
    sent_at: state.sentAt ?? null,
    failed_at: state.failedAt ?? null,
  }));
  for (let start = 0; start < rows.length; start += 500) await sql`insert into notification ${sql(rows.slice(start, start + 500))}`;
  return rows.map(({ id, attempt }) => ({
    id,
    siteId: shop.siteId,
    reference: encodeReference({ siteId: shop.siteId, notificationId: id, attempt }),
  }));
};
