import type { NotificationStatus } from "./notification-status.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

/** The platform's time to live: within it a message reaches the phone or is dropped, and of the latter nothing need be told. */
const lifeMs: ReadonlyMap<string, number> = new Map([["AUTHENTICATION", 10 * minute]]);
const usualLifeMs = 30 * day;

/** Whether a message that the platform took was dropped as far as can be told: nothing was heard of it in all its time. Null of `category`: not known. */
export function hasNoNews(message: { status: NotificationStatus; category: string | null; sentAt: Date | null }, now: Date): boolean {
  if (message.status !== "sent" || message.sentAt === null) return false;
  return now.getTime() - message.sentAt.getTime() > (lifeMs.get(message.category?.toUpperCase() ?? "") ?? usualLifeMs);
}
