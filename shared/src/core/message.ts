import { phoneForms, isE164 } from "./phone.ts";
import { failureOf } from "./reason.ts";
import { isUuid } from "./uuid.ts";

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

/** Which messages a person does not want: those of marketing templates, or any. */
export type OptOutScope = "marketing" | "all";

/** Who said so: the person in the app's settings, the platform when it failed a message afterwards or refused it at once, or an operator. */
export type OptOutSource = "preference" | "callback" | "refusal" | "operator";

/** What an error of the platform says of its recipient's wishes; null when it says nothing of them. */
export function optOutScopeOf(errorCode: string | null): OptOutScope | null {
  if (errorCode === "131050") return "marketing";
  return errorCode === "130403" ? "all" : null;
}

/** What an account's entry for a phone is known by, once digested: however the number is written, and another one in each account. */
export const optOutKey = (accountId: string, phone: string): string => `opt-out ${accountId} ${phoneForms(phone)[0] ?? ""}`;

/** The failure of a message to somebody who opted out. */
export const optedOut = failureOf({ code: "recipient_opted_out" });

/** What a text that somebody looks for in the log stands for. */
export type LogSearch = { anyId: string } | { phone: string } | { waMessageId: string };

/** A UUID; a phone as people write it, with or without plus, spaces, hyphens and brackets; anything else is the platform's id of a message. */
export function readLogSearch(text: string): LogSearch {
  if (isUuid(text)) return { anyId: text.toLowerCase() };
  const phone = `+${text.replace(/^\s*(\+|00)/, "").replaceAll(/[\s().\-/]/g, "")}`;
  return isE164(phone) ? { phone } : { waMessageId: text };
}
