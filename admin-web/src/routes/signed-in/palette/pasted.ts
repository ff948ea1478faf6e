import { readLogSearch } from "shared/core/message";

/** What a text would be looked for as in the log, in words; null for a text that is no id and no phone, or a phone that may not be looked for. */
export function pastedKind(text: string, seesPhones: boolean): string | null {
  const search = readLogSearch(text);
  if ("anyId" in search) return "a message, an event or an order";
  if ("phone" in search) return seesPhones ? "messages to this phone" : null;
  return search.waMessageId.startsWith("wamid.") ? "the platform's id of a message" : null;
}
