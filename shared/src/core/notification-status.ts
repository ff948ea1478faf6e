/** A message's statuses in the order in which one may replace another; the database's enum has the same. */
export const notificationStatuses = ["queued", "sending", "sent", "failed", "delivered", "read"] as const;
export type NotificationStatus = (typeof notificationStatuses)[number];

/** What the platform's callback may report. */
export type ReportedStatus = Extract<NotificationStatus, "sent" | "failed" | "delivered" | "read">;

/**
 * The status after the platform reported one: the further of the two, whatever the order of arrival, so `failed` never replaces
 * `delivered` or `read`. A failure by our own word (`localFailure`) yields to any word of the platform.
 */
export function mergeStatus(current: NotificationStatus, localFailure: boolean, reported: ReportedStatus): NotificationStatus {
  if (current === "failed" && localFailure) return reported;
  return rank(reported) > rank(current) ? reported : current;
}

const rank = (status: NotificationStatus): number => notificationStatuses.indexOf(status);
