import { maskPayload } from "shared/core/mask";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import type { EventRow } from "shared/db/event/log";
import { seesPhones, shownText } from "../../trpc/shown-phone.ts";

export const presentEvent = (row: EventRow, role: Role) => ({
  id: row.id,
  siteId: row.site_id,
  source: shownText(row.source, role),
  name: shownText(row.name, role),
  test: row.test,
  dryRun: row.dry_run,
  receivedAt: new Date(uuidTime(row.id)).toISOString(),
  orderId: row.order_id,
  idempotencyKey: row.idempotency_key && shownText(row.idempotency_key, role),
  bindingsRun: row.bindings_run,
  /** Null until the event is answered. */
  chat: row.chat,
  recipientsSent: row.recipients_sent,
  recipientsFailed: row.recipients_failed,
  /** How often it came again with its key; those sent nothing. */
  duplicates: row.replays,
});

/** The text received, or what of it the caller may see; null when it was forgotten before its event. */
export const presentPayload = (payload: string | null, role: Role): string | null =>
  payload === null || seesPhones(role) ? payload : maskPayload(payload);
