import { asciiDigits } from "../phone-digits.ts";
import { PHONE_SEPARATORS } from "../phone-separators.ts";

const DATA = [
  /^[^\s@]+@[^\s@]+$/, // an address
  new RegExp(String.raw`^[+\uff0b]?\d[${PHONE_SEPARATORS}\d]{4,}$`), // a long number, a phone
  /^\d{4}-\d{2}(-\d{2})?\b/, // a date
  /^[0-9a-f]{8}-[0-9a-f]{4}-/i, // a UUID
  /^(?=(.*\d){2})[0-9a-f]{10,}$/i, // a digest
  /(?=[a-z]*\d[a-z]*\d[a-z]*\d)[a-z\d]{14,}/i, // a random id, such as cus_9s6XKzkNRiz8i3
];

const MAX_LENGTH = 64;

/** Whether the key is a name beyond doubt, as most are. */
export const isPlainWord = (key: string): boolean => /^[a-z][a-z_-]{0,31}$/i.test(key);

/** Whether the key is itself data (an id, an address, a date) and so means nothing in the next event. */
export function isDataKey(key: string): boolean {
  if (key.length > MAX_LENGTH) return true;
  const text = asciiDigits(key);
  return DATA.some((pattern) => pattern.test(text));
}
