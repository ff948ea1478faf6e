import { typeOf, type Field } from "./fields/learn.ts";
import { parseJson, printJson, type JsonValue } from "./json.ts";
import { asciiDigits, beginsWithDate, internationalPhone, longPhone } from "./phone.ts";

/** Deeper values are masked whole. */
const maxDepth = 64;

/** Masks a JSON payload for somebody who may not see personal data: every value that may be a person's by its path or its shape. */
export const maskPayload = (payload: string): string => printJson(maskAt("", parseJson(payload), 0));

function maskAt(path: string, value: JsonValue, depth: number): JsonValue {
  if (typeof value !== "object" || value === null) return maskLeaf(path, value);
  if (depth === maxDepth) return maskedText;
  if (Array.isArray(value)) return value.map((element) => maskAt(`${path}[]`, element, depth + 1));
  const members = Object.entries(value).map(([key, inner]) => [
    maskPhonesIn(key),
    maskAt(path === "" ? key : `${path}.${key}`, inner, depth + 1),
  ]);
  return Object.fromEntries(members) as JsonValue;
}

function maskLeaf(path: string, value: JsonValue): JsonValue {
  if (value === null || value === "" || typeof value === "object") return value;
  return maskSample({ path, type: typeOf(value), sample: String(value) }).sample === maskedText ? maskedText : value;
}

/** Masks a phone except its last two digits: enough to tell a few phones apart, too little to call one. */
export const maskPhone = (phone: string): string => `${maskedText}${phone.slice(-2)}`;

const phoneInText = new RegExp(`${internationalPhone}|${longPhone}`, "gu");

/** Masks everything in a text that looks like a phone. */
export const maskPhonesIn = (text: string): string =>
  text.replaceAll(phoneInText, (phone) => (beginsWithDate(phone) ? phone : maskPhone(asciiDigits(phone))));

/** The parts of a text that look like a phone, unchanged. */
export const phonesIn = (text: string): string[] => (text.match(phoneInText) ?? []).filter((phone) => !beginsWithDate(phone));

/** Masks everything in the texts and keys of a value that looks like a phone. */
export function maskPhonesWithin(value: JsonValue): JsonValue {
  if (typeof value === "string") return maskPhonesIn(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(maskPhonesWithin);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskPhonesIn(key), maskPhonesWithin(inner)]));
}

/** The same as `maskPhonesWithin`, for a JSON text. */
export const maskPhonesInJson = (json: string): string => printJson(maskPhonesWithin(parseJson(json)));

export const maskedText = "•••";

/** Words of a path that mark everything below them as personal. */
const personal = new Set(
  `customer customers user users buyer client clients contact contacts person persons people recipient recipients patient patients guest guests member
  members student students employee employees driver owner author billing shipping shipto billto receiver sender account profile holder payer attendee
  attendees passenger passengers phone phones telephone tel mobile cell fax whatsapp msisdn email emails mail address addresses addr street city town zip
  zipcode postcode postal region county latitude longitude lat lng lon firstname lastname fullname surname forename nickname username birthday birth
  birthdate dob age gender sex ip iban bic card cvv ssn passport vat taxid tax signature password secret token note notes comment comments message
  remark remarks instructions salutation`.split(/\s+/),
);

/** Things whose `name` is not that of a person. */
const things = new Set(
  "item items product products line lines site shop store order cart plan category categories variant coupon event service carrier file".split(
    " ",
  ),
);

const longPhonePattern = new RegExp(longPhone, "u");
const internationalPhonePattern = new RegExp(internationalPhone, "u");
/** Long numbers that are no phones. */
const counted = /(^|[^a-z])(id|ids|number|no|sku|ean|at|on|time|date|timestamp|total|price|amount)$/;

/** Masks the sample of a field if it may be a person's by its path or its shape. */
export const maskSample = <F extends Field>(field: F): F =>
  field.sample !== null && field.type !== "boolean" && isPersonal(field.path, field.sample) ? { ...field, sample: maskedText } : field;

function isPersonal(path: string, sample: string): boolean {
  const words = wordsOf(path);
  if (words.some((word) => personal.has(word)) || isNameOfPerson(path, words)) return true;
  if (sample.includes("@") || internationalPhonePattern.test(sample)) return true;
  return longPhonePattern.test(sample) && !beginsWithDate(sample) && !counted.test(words.join(" "));
}

/** Whether the value is a person's name: `first_name` is one by itself, a bare `name` only if the words before it do not name a thing. */
function isNameOfPerson(path: string, words: readonly string[]): boolean {
  const key = wordsOf(path.split(".").at(-1) ?? "");
  if (!key.includes("name")) return false;
  return !(key.length > 1 ? key : words).some((word) => things.has(word));
}

/** `billingAddress.zip_code` → billing address zip code. */
const wordsOf = (path: string): string[] =>
  path
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
