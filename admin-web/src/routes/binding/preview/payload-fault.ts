import { jsonFault } from "./json-fault.ts";

/** Why the text is no event's payload, with the place; null when it is one. */
export function payloadFault(text: string): string | null {
  const fault = jsonFault(text);
  if (fault !== null) return `Line ${fault.line}, column ${fault.column}: ${fault.message}`;
  return text.trimStart().startsWith("{") ? null : "Must be a JSON object, in braces";
}
