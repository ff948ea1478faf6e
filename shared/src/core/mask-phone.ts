import { MASK } from "./fields/mask-sample.ts";
import { parseJson } from "./json/parse.ts";
import { printJson } from "./json/print.ts";
import type { JsonValue } from "./json/value.ts";
import { PHONE_SEPARATORS } from "./phone-separators.ts";

/** A phone for somebody who may not see it: enough is left to tell a few of them apart, and too little to call one. */
export const maskPhone = (phone: string): string => `${MASK}${phone.slice(-2)}`;

/** Nine digits, or seven behind a plus, with what people put between them. Long numbers of other kinds are taken for phones too: rather one too many. */
const PHONE_IN_TEXT = new RegExp(String.raw`\+\d(?:[${PHONE_SEPARATORS}]{0,2}\d){6,}|\d(?:[${PHONE_SEPARATORS}]{0,2}\d){8,}`, "g");
const DATE = /^\d{4}-\d{2}-\d{2}/;

/** A text with whatever in it looks like a phone masked. */
export const maskPhonesIn = (text: string): string =>
  text.replaceAll(PHONE_IN_TEXT, (found) => (DATE.test(found) ? found : maskPhone(found)));

/** The same for every text in a value, keys among them. */
export function maskPhonesWithin(value: JsonValue): JsonValue {
  if (typeof value === "string") return maskPhonesIn(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(maskPhonesWithin);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskPhonesIn(key), maskPhonesWithin(inner)]));
}

/** The same for a JSON text. */
export const maskPhonesInJson = (json: string): string => printJson(maskPhonesWithin(parseJson(json)));
