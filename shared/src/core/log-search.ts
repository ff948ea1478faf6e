import { isE164 } from "./phone.ts";
import { isUuid } from "./uuid.ts";

/** The meaning of a search text of the log. */
export type LogSearch = { anyId: string } | { phone: string } | { waMessageId: string };

const phoneInOneWord = /(?:^|\s)(?:\+|00)(\d{10,15})(?=\s|$)/;

/** A whole phone beside other words of a search is a condition of its own, unless a phone is asked for already. */
export function splitPhone<Input extends { search?: string | undefined; phone?: string | undefined }>(input: Input): Input {
  const [found = "", digits] = phoneInOneWord.exec(input.search ?? "") ?? [];
  const search = input.search?.replace(found, "").trim();
  return input.phone !== undefined || !search || !isE164(`+${digits}`) ? input : { ...input, phone: `+${digits}`, search };
}

/** Reads a search text: a UUID; a phone, with or without plus, spaces, hyphens and brackets; any other text is taken for the platform's id of a message. */
export function readLogSearch(text: string): LogSearch {
  if (isUuid(text)) return { anyId: text.toLowerCase() };
  const phone = `+${text.replace(/^\s*(\+|00)/, "").replaceAll(/[\s().\-/]/g, "")}`;
  return isE164(phone) ? { phone } : { waMessageId: text };
}
