import { createHmac } from "node:crypto";
import type { SandboxAccount, DueCallback } from "../store.ts";

interface StatusItem {
  recipient_id: string;
  recipient_user_id?: string;
}

/** The body of one callback: all statuses in one change, every other update in an entry of its own. */
export function envelope(account: SandboxAccount, callbacks: readonly DueCallback[], now: number) {
  const statuses = callbacks.filter(({ field }) => field === "messages").map(({ value }) => JSON.parse(value) as StatusItem);
  const others = callbacks.filter(({ field }) => field !== "messages");
  const messages = { id: account.wabaId, changes: [{ field: "messages", value: statusesValue(account, statuses) }] };
  return {
    object: "whatsapp_business_account",
    entry: [
      ...(statuses.length === 0 ? [] : [messages]),
      ...others.map(({ field, value }) => ({
        id: account.wabaId,
        time: Math.floor(now / 1000),
        changes: [{ field, value: JSON.parse(value) as unknown }],
      })),
    ],
  };
}

function statusesValue(account: SandboxAccount, statuses: StatusItem[]) {
  const users = new Map(
    statuses.flatMap(({ recipient_id: waId, recipient_user_id: userId }) => (userId === undefined ? [] : [[waId, userId]])),
  );
  return {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: account.phoneNumber, phone_number_id: account.phoneNumberId },
    ...(users.size === 0 ? {} : { contacts: Array.from(users, ([waId, userId]) => ({ wa_id: waId, user_id: userId })) }),
    statuses,
  };
}

/**
 * JSON as the platform writes it: non-ASCII as `\u00e9` in lower-case hex, slashes as `\/`. The signature covers these bytes, so a receiver that
 * parses and re-serialises the body gets another signature.
 */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("/", "\\/")
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The value of `X-Hub-Signature-256`. */
export function signature(appSecret: string, body: string): string {
  return `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
}
