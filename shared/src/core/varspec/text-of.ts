import { printJson } from "../json/print.ts";
import type { JsonValue } from "../json/value.ts";

/**
 * A payload's value as the text that goes into a slot: strings as they are, everything else as JSON. Undefined when it is missing:
 * the path led nowhere, to null or to the empty string, or to a number such as 1e999 that JSON could only print as null.
 */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (value == null || value === "") return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "number" && !Number.isFinite(value)) return undefined;
  return printJson(value);
}
