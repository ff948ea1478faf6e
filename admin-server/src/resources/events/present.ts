import { uuidTime } from "shared/core/uuid";
import type { EventRow } from "shared/db/tables/event/list";

export const presentEvent = (row: EventRow) => ({
  id: row.id,
  siteId: row.site_id,
  source: row.source,
  name: row.name,
  test: row.test,
  dryRun: row.dry_run,
  receivedAt: new Date(uuidTime(row.id)).toISOString(),
  orderId: row.order_id,
  idempotencyKey: row.idempotency_key,
  bindingsRun: row.bindings_run,
  /** Null until the event is answered. */
  chat: row.chat,
  recipientsSent: row.recipients_sent,
  recipientsFailed: row.recipients_failed,
});
