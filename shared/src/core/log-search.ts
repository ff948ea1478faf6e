import { isE164 } from "./phone.ts";
import { isUuid } from "./uuid.ts";

/** The meaning of a search text of the log. */
export type LogSearch = { anyId: string } | { phone: string } | { waMessageId: string };

/**
 * Reads a search text: a UUID; a phone as people write it, with or without plus, spaces, hyphens and brackets; any other text is taken for the platform's
 * id of a message.
 */
export function readLogSearch(text: string): LogSearch {
  if (isUuid(text)) return { anyId: text.toLowerCase() };
  const phone = `+${text.replace(/^\s*(\+|00)/, "").replaceAll(/[\s().\-/]/g, "")}`;
  return isE164(phone) ? { phone } : { waMessageId: text };
}
