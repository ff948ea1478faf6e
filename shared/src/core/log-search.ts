import { isE164 } from "./phone.ts";
import { isUuid } from "./uuid.ts";

/** The meaning of a search text of the log. */
export type LogSearch = { anyId: string } | { phone: string } | { waMessageId: string };

const phoneInOneWord = /(?:^|\s)(?:\+|00)(\d{10,15})(?=\s|$)/;

/** A search text with a whole phone beside other words, taken apart; nothing for other texts, and where a phone is asked for already. */
export function readPhoneBeside({ search = "", phone }: { search?: string | undefined; phone?: string | undefined }) {
  const [found, digits] = phoneInOneWord.exec(search) ?? [];
  const rest = search.replace(found ?? "", "").trim();
  return phone !== undefined || rest === "" || !isE164(`+${digits}`) ? {} : { phone: `+${digits}`, search: rest };
}

/**
 * Reads a search text: a UUID; a phone as people write it, with or without plus, spaces, hyphens and brackets; any other text is taken for the platform's
 * id of a message.
 */
export function readLogSearch(text: string): LogSearch {
  if (isUuid(text)) return { anyId: text.toLowerCase() };
  const phone = `+${text.replace(/^\s*(\+|00)/, "").replaceAll(/[\s().\-/]/g, "")}`;
  return isE164(phone) ? { phone } : { waMessageId: text };
}
