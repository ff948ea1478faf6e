import { wellFormed } from "../../text/well-formed.ts";

/** Control characters but tab and line breaks. */
const CONTROLS = /[^\P{Cc}\t\n\v\f\r\x85]/gu;
/** Line breaks of every kind (also form feed, next line, and Unicode's separators), and tabs. */
const BREAKS = /[\t\n\v\f\r\x85\u2028\u2029]+/;
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
