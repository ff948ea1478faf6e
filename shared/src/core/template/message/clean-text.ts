import { wellFormed } from "../../text/well-formed.ts";

/** Line breaks of every kind (from tab to carriage return, next line, and Unicode's separators). */
const BREAKS = /[\t-\r\x85\u2028\u2029]+/;
/** Control characters that are no break. */
const CONTROLS = /[^\P{Cc}\t-\r\x85]/gu;
const SPACES = /\p{Zs}{2,}/gu;
const INVISIBLE = /^[\p{Zs}\p{Cf}]*$/u;

/**
 * A slot's value as it may be sent: the platform refuses line breaks, tabs, runs of spaces and empty texts. Breaks become ` | `, one
 * for a run of them and none at the ends; runs of spaces become one space; control characters go, halves of characters become
 * U+FFFD. Empty when nothing visible is left. Cleaning twice changes nothing more.
 */
export function cleanText(value: string): string {
  const lines = wellFormed(value)
    .replace(CONTROLS, "")
    .split(BREAKS)
    .map((line) => line.replace(SPACES, " ").trim());
  const text = lines.filter((line) => line !== "").join(" | ");
  return INVISIBLE.test(text) ? "" : text;
}
