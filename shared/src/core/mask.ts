import { conventionOf, type Field } from "./fields/learn.ts";
import { type JsonObject, parseJson, printJson, type JsonValue } from "./json.ts";
import { type KnownValues, knownValues, maskedText } from "./known-values.ts";
import wordLists from "./mask-words.json" with { type: "json" };
import { dateAtStart, digitsOf, hasNumber, numbers, numbersIn, replaceNumbers } from "./phone-in-text.ts";
import { remember } from "./text.ts";

/** What lies deeper, or at a longer path, is masked whole. */
const maxDepth = 64;
export const longestPath = 500;

/**
 * The text of a payload for somebody who may not see personal data: every value that may be a person's by its path or its shape is masked, and wherever a
 * value of the customer (`known`) stands once more. Of a payload with more than 5,000 values the further ones are masked unseen, so that no payload keeps a
 * server busy.
 */
export const maskPayload = (payload: JsonValue, known: KnownValues = knownIn(payload)): string =>
  printJson(maskAt("", payload, 0, { known, isPersonal: judgeOfPaths(), left: mostJudged }));

const mostJudged = 5_000;
/** So many characters count as a value more. */
const unit = 50;

/** What is known of a payload's people, and how many of its values may still be judged. */
interface Masking {
  known: KnownValues;
  isPersonal: (path: string) => boolean;
  left: number;
}

function maskAt(path: string, value: JsonValue, depth: number, masking: Masking): JsonValue {
  const { known } = masking;
  if ((masking.left -= 1) < 0) return maskedText;
  if (typeof value !== "object" || value === null) return maskLeaf(path, value, masking);
  if (depth === maxDepth || path.length > longestPath) return maskedText;
  if (Array.isArray(value)) return value.map((element) => maskAt(`${path}[]`, element, depth + 1, masking));
  const members: [string, JsonValue][] = [];
  for (const key of Object.keys(value)) {
    // All further members have the one name.
    if (masking.left <= 0) return Object.fromEntries([...members, [maskedText, maskedText]]);
    members.push([maskKey(key, known), maskAt(path === "" ? key : `${path}.${key}`, value[key] ?? null, depth + 1, masking)]);
  }
  return Object.fromEntries(members);
}

function maskLeaf(path: string, value: JsonValue, masking: Masking): JsonValue {
  if (value === null || value === "" || typeof value === "object") return value;
  const text = String(value);
  masking.left -= text.length / unit;
  if (masking.left < 0) return maskedText;
  const isShown = path.length <= longestPath && (typeof value === "boolean" || !(masking.isPersonal(path) || looksPersonal(path, text)));
  return isShown && !masking.known.isIn(text) ? value : maskedText;
}

/** A key is masked as a value is: senders put addresses and phones there too. */
function maskKey(key: string, known: KnownValues): string {
  if (addressSign.test(key)) return maskedText;
  const masked = plainKey.test(key) ? key : maskPath(key);
  return masked === key && known.isIn(key) ? maskedText : masked;
}

/** A key that can hold neither an address nor a phone. */
const plainKey = /^[a-z_-]{0,60}\d{0,6}$/iu;

/** A dotted path without phones, cut off at the first key that is an address. */
export function maskPath(path: string): string {
  const at = path.search(addressSign);
  if (at < 0) return maskPhones(path, numbers.inKey);
  const start = Math.max(path.lastIndexOf(".", at), path.lastIndexOf("]", at)) + 1;
  return maskPhones(path.slice(0, start), numbers.inKey) + maskedText;
}

/** A path without known values; what events have by convention tells nobody's name. */
export const hidePath = (path: string, known: KnownValues): string => (conventionOf(path) === 2 ? path : known.hide(path));

/** The fields of a payload, with the paths that its own values show to be a person's. */
export function hidePaths<F extends Field>(payload: JsonValue, fields: readonly F[]): F[] {
  const known = knownIn(payload);
  return fields.map((field) => {
    const hidden = hidePath(field.path, known);
    return hidden === field.path ? field : { ...field, hidden };
  });
}

/** What a payload tells of its people. `phones`: those of its event's recipients. */
export const knownIn = (payload: JsonValue, phones: readonly string[] = []): KnownValues => knownValues([...valuesOf(payload), ...phones]);

/** The values of a payload that may be the customer's by their path. */
export const personalValues = (payload: string): string[] => valuesOf(parseJson(payload));

/** A payload tells no more values of a person than this. */
const mostKnown = 200;
const longestKnown = 300;
/** Shorter names are part of too many words. */
const shortestKnown = 2;
/** A person's value, and the parts of a name. */
const withParts = (path: string, text: string): string[] => [
  text,
  ...(nameAtEnd.test(path) ? Array.from(text.matchAll(partOfName), ([part]) => part) : []),
];

/** What the samples of fields tell of a person. */
export const knownOfSamples = (fields: readonly Pick<Field, "path" | "sample">[]): KnownValues =>
  knownValues(fields.flatMap(({ path, sample }) => (sample !== null && isPersonalPath(path) ? withParts(path, sample) : [])));

const nameAtEnd = /name(?:\[\])?$/iu;
/** A name that may stand alone; `von` and `de la` do not. */
const partOfName = /(?![\p{Ll}]{1,3}(?![\p{L}\p{M}]))[\p{L}\p{M}]{3,}/gu;

/** The values that are looked at, level by level: what a payload says of a person stands near the top. */
const mostPlaces = 10_000;

/** Judges each path once: elements of a list share theirs. */
const judgeOfPaths = () => remember(Infinity, (path: string): boolean => path.length <= longestPath && isPersonalPath(path));

function valuesOf(payload: JsonValue): string[] {
  const isPersonal = judgeOfPaths();
  const found = new Set<string>();
  const places: { path: string; value: JsonValue; depth: number }[] = [{ path: "", value: payload, depth: 0 }];
  // The list grows during the loop.
  for (const { path, value, depth } of places) {
    if (found.size >= mostKnown) break;
    if (typeof value === "object" && value !== null) {
      if (depth === maxDepth || path.length > longestPath) continue;
      for (const key of Object.keys(value)) {
        if (places.length === mostPlaces) break;
        const below = Array.isArray(value) ? `${path}[]` : path === "" ? key : `${path}.${key}`;
        places.push({ path: below, value: (value as JsonObject)[key] ?? null, depth: depth + 1 });
      }
    } else if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
      const text = String(value).trim();
      if (text.length < shortestKnown || text.length > longestKnown || !isPersonal(path)) continue;
      for (const each of withParts(path, text)) found.add(each);
    }
  }
  return [...found];
}

/** The texts that a message's components put into its template. */
export function textsOf(components: JsonValue): string[] {
  if (typeof components !== "object" || components === null) return [];
  if (Array.isArray(components)) return components.flatMap(textsOf);
  return Object.entries(components).flatMap(([key, inner]) => (key === "text" && typeof inner === "string" ? [inner] : textsOf(inner)));
}

/** Masks known values, phones and e-mail addresses in the texts and keys of a value. `keeps`: texts that stay as they are, such as ids. */
export function maskKnownWithin(value: JsonValue, known: KnownValues, keeps: (text: string) => boolean = () => false): JsonValue {
  if (typeof value === "string") return keeps(value) ? value : maskReachIn(known.hide(value));
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => maskKnownWithin(inner, known, keeps));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskPath(key), maskKnownWithin(inner, known, keeps)]));
}

/** Masks a phone except its last two digits: enough to tell a few phones apart, too little to call one. */
export const maskPhone = (phone: string): string => `${maskedText}${phone.slice(-2)}`;

/** The sign of an e-mail address, also as HTML and addresses write it. */
const addressSign = /[@\uff20\ufe6b]|%(?:25)?40|&(?:#64|#x40|commat);/iu;

/** Masks what looks like a phone, but for dates before it. */
const maskPhones = (text: string, expression: RegExp): string =>
  replaceNumbers(text, expression, (found) => {
    const date = dateAtStart(found);
    return date === "" ? maskPhone(digitsOf(found.slice(-lastSigns))) : date + maskPhones(found.slice(date.length), expression);
  });
/** The end of a written phone that holds its last two digits. */
const lastSigns = 24;

/** Masks everything in a text that looks like a phone. */
export const maskPhonesIn = (text: string): string => maskPhones(text, numbers.inText);

const addressInText = /[^\s"'<>()[\]{},;:]{0,64}(?:[@\uff20\ufe6b]|%(?:25)?40|&(?:#64|#x40|commat);)[^\s"'<>()[\]{},;:]{1,255}/giu;

/** Masks everything in a text that looks like a phone or an e-mail address. */
export const maskReachIn = (text: string) => maskPhonesIn(addressSign.test(text) ? text.replaceAll(addressInText, maskedText) : text);

/** The parts of a text that look like a phone, unchanged. */
export const phonesIn = (text: string): string[] =>
  numbersIn(text, numbers.inText).flatMap((found) => {
    const date = dateAtStart(found);
    return date === "" ? found : phonesIn(found.slice(date.length));
  });

const nobody: KnownValues = knownValues([]);

/** Masks everything in the texts and keys of a value that looks like a phone or an e-mail address. */
export const maskReachWithin = (value: JsonValue, keeps?: (text: string) => boolean): JsonValue => maskKnownWithin(value, nobody, keeps);

/** The same, for a JSON text. */
export const maskReachInJson = (json: string): string => printJson(maskReachWithin(parseJson(json)));

/** Words of a path that mark everything below them as personal. */
const personal = new Set(wordLists.personal.split(" "));

/** Things whose `name` is not that of a person. */
const things = new Set(wordLists.things.split(" "));

/** Nothing but a number on several lines. */
const onLines = /^[+\p{Nd}\s().-]{7,200}$/u;
/** Long numbers that are no phones. */
const counted = /(^|[^a-z])(id|ids|number|no|sku|ean|at|on|time|date|timestamp|total|price|amount)$/;

/** Masks the sample of a field if it may be a person's by its path or its shape. */
export const maskSample = <F extends Field>(field: F): F =>
  field.sample !== null && field.type !== "boolean" && isPersonal(field.path, field.sample) ? { ...field, sample: maskedText } : field;

/** Whether the value at a path may be a person's, whatever it is. */
function isPersonalPath(path: string): boolean {
  const words = wordsOf(path);
  return words.some((word) => personal.has(word)) || isNameOfPerson(path, words);
}

const isPersonal = (path: string, sample: string): boolean => isPersonalPath(path) || looksPersonal(path, sample);

/** Whether a value looks like a person's, by its shape. */
function looksPersonal(path: string, text: string): boolean {
  const sample = onLines.test(text) ? text.replaceAll(/\s+/gu, " ") : text;
  if (addressSign.test(sample) || hasNumber(sample, numbers.international)) return true;
  return hasNumber(sample.slice(dateAtStart(sample).length), numbers.long) && !counted.test(wordsOf(path).join(" "));
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
