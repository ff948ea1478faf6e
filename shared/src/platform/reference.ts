import { hyphenate } from "../core/uuid.ts";

/** What travels with a message as `biz_opaque_callback_data` and comes back in each of its status updates. The platform shows it to other apps: ids only. */
export interface Reference {
  siteId: string;
  notificationId: string;
  /** From 1: the second send of a notification is attempt 2. */
  attempt: number;
}

const form = /^t1:([0-9a-f]{32}):([0-9a-f]{32}):([1-9]\d{0,4})$/;
const largestAttempt = 32_767;

/** `t1:<site id>:<notification id>:<attempt>`, ids as 32 hex digits; at most 75 characters. */
export function encodeReference({ siteId, notificationId, attempt }: Reference): string {
  return `t1:${compact(siteId)}:${compact(notificationId)}:${attempt}`;
}

/** Null for anything that `encodeReference` did not make: other senders may share the number. */
export function parseReference(text: string | null | undefined): Reference | null {
  const [, siteId, notificationId, attempt] = form.exec(text ?? "") ?? [];
  if (siteId === undefined || notificationId === undefined || Number(attempt) > largestAttempt) return null;
  return { siteId: hyphenate(siteId), notificationId: hyphenate(notificationId), attempt: Number(attempt) };
}

function compact(uuid: string): string {
  return uuid.replaceAll("-", "").toLowerCase();
}
