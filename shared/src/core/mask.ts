import { typeOf, type Field } from "./fields/learn.ts";
import { parseJson, printJson, type JsonValue } from "./json.ts";
import { beginsWithDate, digitsInText, internationalPhone, longPhone } from "./phone-in-text.ts";
import { asciiDigits } from "./phone.ts";

/** Deeper values are masked whole. */
const maxDepth = 64;

/**
 * Masks a JSON payload for somebody who may not see personal data: every value that may be a person's by its path or its shape, and wherever a value of the
 * customer stands once more. `phones`: those of the event's recipients. Of a payload with more than 5,000 values the further ones are masked unseen, so that
 * no payload keeps a server busy.
 */
export function maskPayload(payload: string, phones: readonly string[] = []): string {
  const parsed = parseJson(payload);
  return printJson(maskAt("", parsed, 0, { known: knownValues([...valuesOf(parsed), ...phones]), left: mostJudged }));
}

const mostJudged = 5_000;

/** What is known of a payload's people, and how many of its values may still be judged. */
interface Masking {
  known: KnownValues;
  left: number;
}

function maskAt(path: string, value: JsonValue, depth: number, masking: Masking): JsonValue {
  const { known } = masking;
  if ((masking.left -= 1) < 0) return maskedText;
  if (typeof value !== "object" || value === null) return maskLeaf(path, value, known);
  if (depth === maxDepth) return maskedText;
  if (Array.isArray(value)) return value.map((element) => maskAt(`${path}[]`, element, depth + 1, masking));
  const members = Object.entries(value).map(([key, inner]) => [
    masking.left > 0 ? maskKey(key, known) : maskedText,
    maskAt(path === "" ? key : `${path}.${key}`, inner, depth + 1, masking),
  ]);
  return Object.fromEntries(members) as JsonValue;
}

function maskLeaf(path: string, value: JsonValue, known: KnownValues): JsonValue {
  if (value === null || value === "" || typeof value === "object") return value;
  const text = String(value);
  const isMasked = maskSample({ path, type: typeOf(value), sample: text }).sample === maskedText || known.hide(text) !== text;
  return isMasked ? maskedText : value;
}

/** A key is masked as a value is: senders put addresses and phones there too. */
function maskKey(key: string, known: KnownValues): string {
  const masked = maskPath(key);
  return masked === key && known.hide(key) !== key ? maskedText : masked;
}

/** A dotted path without phones, cut off at the first key that is an address. */
export function maskPath(path: string): string {
  const at = path.indexOf("@");
  if (at < 0) return maskPhonesIn(path);
  const start = Math.max(path.lastIndexOf(".", at), path.lastIndexOf("]", at)) + 1;
  return maskPhonesIn(path.slice(0, start)) + maskedText;
}

/** The values of a payload that may be the customer's by their path. */
export function personalValues(payload: string): string[] {
  return valuesOf(parseJson(payload));
}

/** A payload tells no more values of a person than this. */
const mostKnown = 200;
const longestKnown = 300;
/** Shorter names are part of too many words. */
const shortestKnown = 2;

function valuesOf(payload: JsonValue): string[] {
  const found = new Set<string>();
  const waiting: { path: string; value: JsonValue; depth: number }[] = [{ path: "", value: payload, depth: 0 }];
  for (let one = waiting.pop(); one !== undefined && found.size < mostKnown; one = waiting.pop()) {
    const { path, value, depth } = one;
    if (typeof value === "object" && value !== null) {
      if (depth === maxDepth) continue;
      for (const [key, inner] of Object.entries(value)) {
        waiting.push({ path: Array.isArray(value) ? `${path}[]` : path === "" ? key : `${path}.${key}`, value: inner, depth: depth + 1 });
      }
    } else if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
      const text = String(value).trim();
      if (text.length >= shortestKnown && text.length <= longestKnown && isPersonalPath(path)) found.add(text);
    }
  }
  return [...found];
}

interface KnownValues {
  /** The text with each known value masked. */
  hide(text: string): string;
}

const fewestDigits = 7;
const digitsOf = (text: string): string => asciiDigits(text).replaceAll(/\D/g, "");

/** Finds values of a person again: as whole words in a text, whatever the case, and phones by their digits, with or without the country's code. */
export function knownValues(values: readonly string[]): KnownValues {
  const words = [...new Set(values.filter((value) => /\p{L}/u.test(value)).map((value) => value.toLowerCase()))].toSorted(
    (a, b) => b.length - a.length,
  );
  const numbers = values.map(digitsOf).filter((digits) => digits.length >= fewestDigits);
  const isKnown = (digits: string): boolean => {
    const bare = digits.replace(/^0+/, "");
    return bare.length >= fewestDigits && numbers.some((number) => number.endsWith(bare) || bare.endsWith(number.replace(/^0+/, "")));
  };
  return {
    hide(text) {
      const nameless = words.reduce(hideWord, text);
      if (numbers.length === 0) return nameless;
      return nameless.replaceAll(numberInText, (number) => (isKnown(digitsOf(number)) ? maskedText : number));
    },
  };
}

const numberInText = new RegExp(String.raw`[+\uff0b]?${digitsInText}`, "gu");

function hideWord(text: string, word: string): string {
  const lower = text.toLowerCase();
  // Where the case changes a text's length its places cannot be told.
  if (lower.length !== text.length) return lower.includes(word) ? maskedText : text;
  let [shown, from] = ["", 0];
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
    const isWhole = !isLetter(lower, at - 1) && !isLetter(lower, at + word.length);
    if (!isWhole) continue;
    shown += text.slice(from, at) + maskedText;
    from = at + word.length;
  }
  return shown + text.slice(from);
}

const isLetter = (text: string, at: number): boolean => /^[\p{L}\p{N}]$/u.test(text.charAt(at));

/** The texts that a message's components put into its template. */
export function textsOf(components: JsonValue): string[] {
  if (typeof components !== "object" || components === null) return [];
  if (Array.isArray(components)) return components.flatMap(textsOf);
  return Object.entries(components).flatMap(([key, inner]) => (key === "text" && typeof inner === "string" ? [inner] : textsOf(inner)));
}

/** Masks known values and phones in the texts and keys of a value. */
export function maskKnownWithin(value: JsonValue, known: KnownValues): JsonValue {
  if (typeof value === "string") return maskPhonesIn(known.hide(value));
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => maskKnownWithin(inner, known));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskPath(key), maskKnownWithin(inner, known)]));
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
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskPath(key), maskPhonesWithin(inner)]));
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

/** Whether the value at a path may be a person's, whatever it is. */
export function isPersonalPath(path: string): boolean {
  const words = wordsOf(path);
  return words.some((word) => personal.has(word)) || isNameOfPerson(path, words);
}

function isPersonal(path: string, sample: string): boolean {
  const words = wordsOf(path);
  if (isPersonalPath(path)) return true;
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
