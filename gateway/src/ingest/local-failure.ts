import type { NotificationResult } from "shared/db/tables/event/settle";

/** A failure by our own word: the platform was not asked, or has not answered. It yields to whatever the platform says later. */
export function localFailure(siteId: string, id: string, code: string, reason: string): NotificationResult {
  return { site_id: siteId, id, status: "failed", local: true, wa_message_id: null, error_code: code, error_reason: reason, error_detail: null };
}
