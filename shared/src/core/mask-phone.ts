import { MASK } from "./fields/mask-sample.ts";
import { parseJson } from "./json/parse.ts";
import { printJson } from "./json/print.ts";
import type { JsonValue } from "./json/value.ts";
import { asciiDigits } from "./phone-digits.ts";
import { beginsWithDate, INTERNATIONAL_PHONE, LONG_PHONE } from "./phone-shapes.ts";

/** A phone for somebody who may not see it: enough is left to tell a few of them apart, and too little to call one. */
export const maskPhone = (phone: string): string => `${MASK}${phone.slice(-2)}`;

const PHONE_IN_TEXT = new RegExp(`${INTERNATIONAL_PHONE}|${LONG_PHONE}`, "gu");

/** A text with whatever in it looks like a phone masked. */
export const maskPhonesIn = (text: string): string =>
  text.replaceAll(PHONE_IN_TEXT, (phone) => (beginsWithDate(phone) ? phone : maskPhone(asciiDigits(phone))));

/** The same for every text in a value, keys among them. */
export function maskPhonesWithin(value: JsonValue): JsonValue {
  if (typeof value === "string") return maskPhonesIn(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(maskPhonesWithin);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskPhonesIn(key), maskPhonesWithin(inner)]));
}

/** The same for a JSON text. */
export const maskPhonesInJson = (json: string): string => printJson(maskPhonesWithin(parseJson(json)));
