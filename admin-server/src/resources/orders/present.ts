import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import type { OrderRow } from "shared/db/customer-order";
import type { EventRow } from "shared/db/event/log";
import type { NotificationRow } from "shared/db/notification/log";
import { readStoredError } from "shared/platform/errors/classify";
import { explain } from "shared/platform/errors/classify";
import { shownPhone, shownText } from "../../trpc/shown-phone.ts";

export const presentOrder = (row: OrderRow, role: Role) => ({
  id: row.id,
  siteId: row.site_id,
  externalId: row.external_id && shownText(row.external_id, role),
  number: row.number && shownText(row.number, role),
  status: row.status,
  total: row.total,
  currency: row.currency,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export const presentEventEntry = ({ id, name, test, dry_run, chat }: EventRow, role: Role) => ({
  at: new Date(uuidTime(id)).toISOString(),
  kind: "event" as const,
  what: "received" as const,
  event: { id, name: shownText(name, role), test, dryRun: dry_run, chat },
});

const steps = ["sent", "delivered", "read", "failed"] as const;

/**
 * One entry for each thing that is known to have happened to a message. The platform tells times to the second and by its own clock: no step is shown
 * before the one that it follows.
 */
export function presentMessageEntries(row: NotificationRow, role: Role) {
  const { id, event_id: eventId, template, language, to_phone, status, resend_of: resendOf } = row;
  const message = { id, eventId, template, language, toPhone: shownPhone(to_phone, role), status, resendOf };
  const made = { at: new Date(uuidTime(id)).toISOString(), kind: "message" as const, what: "made" as const, message, error: null };
  let before = made.at;
  const happened = steps.flatMap((what) => {
    const at = row[`${what}_at`]?.toISOString();
    if (at === undefined) return [];
    if (at > before) before = at;
    return [{ ...made, at: before, what, error: what === "failed" ? presentError(row, role) : null }];
  });
  return [made, ...happened];
}

/** Null when a later report proved the failure wrong. */
function presentError({ error_code: code, error_reason, error_detail }: NotificationRow, role: Role) {
  if (code === null) return null;
  return {
    code,
    reason: error_reason && shownText(error_reason, role),
    explanation: explain({ code, subcode: readStoredError(error_detail).subcode }),
  };
}
