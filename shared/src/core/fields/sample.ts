import type { JsonValue } from "../json/value.ts";
import { storableText } from "../text/storable-text.ts";
import { textOf } from "../varspec/text-of.ts";

const MAX_CHARACTERS = 80;

/** The first 80 characters of what a slot would show of the value; null when that is nothing, or an object or array. */
export function sampleOf(value: JsonValue): string | null {
  if (typeof value === "object") return null;
  const text = textOf(value);
  // A character is at most two units long, so these hold 80 whole ones; cut by units, the last could be half of one.
  return text === undefined
    ? null
    : storableText(
        Array.from(text.slice(0, 2 * MAX_CHARACTERS))
          .slice(0, MAX_CHARACTERS)
          .join(""),
      );
}
