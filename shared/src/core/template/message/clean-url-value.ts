import { cleanText } from "./clean-text.ts";

/** All that may not stand in a URL; a percent sign may when two hex digits follow. Square brackets may only enclose a host address. */
const ILLEGAL = /%(?![0-9A-Fa-f]{2})|[^%A-Za-z0-9\-._~:/?#@!$&'()*+,;=]+/g;

/**
 * The variable part of a URL button as it may be sent: cleaned like any value, without the template's fixed part if it begins with
 * that (senders tend to have the whole URL), and with illegal characters percent-encoded, legal `%XX` left alone.
 */
export function cleanUrlValue(value: string, fixed: string): string {
  const text = cleanText(value);
  const part = text.startsWith(fixed) ? text.slice(fixed.length) : text;
  return part.replace(ILLEGAL, encodeURIComponent);
}
