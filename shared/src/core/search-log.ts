import { isE164 } from "./phone.ts";
import { isUuid } from "./uuid.ts";

/** What a text that somebody looks for in the log stands for. */
export type LogSearch = { anyId: string } | { phone: string } | { waMessageId: string };

/** A UUID; a phone as people write it, with or without plus, spaces, hyphens and brackets; anything else is the platform's id of a message. */
export function readLogSearch(text: string): LogSearch {
  if (isUuid(text)) return { anyId: text.toLowerCase() };
  const phone = `+${text.replace(/^\s*(\+|00)/, "").replaceAll(/[\s().\-/]/g, "")}`;
  return isE164(phone) ? { phone } : { waMessageId: text };
}
