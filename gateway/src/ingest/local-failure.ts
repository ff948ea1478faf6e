import type { NotificationResult } from "shared/db/event/settle";

/** A failure by our own word: the platform was not asked, or has not answered. It yields to whatever the platform says later. */
export function localFailure(
  siteId: string,
  message: { id: string; eventId: string; attempt: number },
  code: string,
  reason: string,
): NotificationResult {
  const { id, eventId, attempt } = message;
  const said = { wa_message_id: null, error_code: code, error_reason: reason, error_detail: null };
  return { site_id: siteId, event_id: eventId, id, attempt, status: "failed", local: true, ...said };
}
