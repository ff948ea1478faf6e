import { fullName } from "./expressions.ts";
import { typeOf } from "./fields/learn.ts";
import { type JsonObject, type JsonValue, isJsonObject, lookUp, parseJson, textOf } from "./json.ts";
import { maskedText } from "./known-values.ts";
import { knownIn, longestPath, maskSample } from "./mask.ts";
import { dateAtStart } from "./phone-in-text.ts";
import { asciiDigits } from "./phone.ts";
import { attempt, shorten } from "./text.ts";

const longestWord = 40;
/** The length of a text by which events are found, and of a typed one. */
const longestText = 200;

/**
 * The words of a text in the form of the search: ASCII letters and digits alone, in lower case and without accents. Other letters are written as four
 * signs each, so that every database finds them in the same way, whatever its locale.
 */
export const searchWords = (text: string): string[] =>
  asciiDigits(text.slice(0, longestText).normalize("NFKD"))
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\x20-\x7f]/gu, spellSign)
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.slice(0, longestWord));

const latin: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };

const spellSign = (sign: string): string =>
  latin[sign] ?? (/[\p{L}\p{N}]/u.test(sign) ? (sign.codePointAt(0) ?? 0).toString(36).padStart(4, "0") : " ");

const onlyNumber = /^[+\d\s()./#\u00ad\u2010-\u2015\u2212-]+$/;
const fewestDigits = 7;

/** The digits of a phone, or of a number as long, however they are grouped; null for other texts. */
function groupedDigits(text: string): string | null {
  const ascii = asciiDigits(text.trim().normalize("NFKD"));
  const digits = onlyNumber.test(ascii) ? ascii.replaceAll(/\D/g, "") : "";
  return digits.length >= fewestDigits ? digits : null;
}

/** Shorter texts would match too much. */
export const fewestSigns = 3;
const mostTerms = 6;

/** The words to search for: all words of one of the lists. Null if no typed text is long enough. */
export type Search = string[][];

export function readSearch(text: string): Search | null {
  const digits = groupedDigits(text);
  const national = digits?.replace(/^0+/, "") ?? "";
  const lists =
    digits === null ? [searchWords(text).slice(0, mostTerms)] : [[digits], ...(national.length >= fewestSigns ? [[national]] : [])];
  const useful = lists.filter((words) => words.some((word) => word.length >= fewestSigns));
  return useful.length === 0 ? null : useful;
}

/**
 * What may be an order's number or id in a text: shops show a number with signs before it, and tell it with them or without, with blanks in it or without, and
 * with its letters in any case.
 */
export function orderNames(text: string): string[] {
  const bare = text
    .normalize("NFKC")
    .replace(/^[#\s]+/u, "")
    .trim();
  // Words have no digits: each name costs a look-up at every site.
  const [spelled, signs] = /\d/u.test(bare)
    ? [
        [bare, bare.replaceAll(/\s+/gu, " "), bare.replaceAll(/\s+/gu, "")],
        ["", "#", "##", "# ", "\uff03"],
      ]
    : [[bare], ["", "#"]];
  const names = bare === "" ? [] : [text.trim(), ...signs.flatMap((sign) => spelled.map((name) => sign + name))];
  return [...new Set(names.flatMap((name) => [name, name.toUpperCase(), name.toLowerCase()]))];
}

const mostSigns = 600;
const longestValue = 100;
const mostPlaces = 1_000;
const maxDepth = 12;
const longestName = 80;

/**
 * The words by which a payload is found: its short texts and numbers, the order's and the customer's first, up to 600 signs of each kind. Everybody in the
 * account may search for the `open` ones, such as the order's number; the others belong to a person. `customer`: the customer's name.
 */
export function findableOf(payload: JsonValue) {
  const [open, personal, known] = [new Budget(), new Budget(), knownIn(payload)];
  for (const { path, value } of shortValues(payload)) {
    const isOpen = maskSample({ path, type: typeOf(value), sample: value }).sample !== maskedText && !known.isIn(value);
    (isOpen ? open : personal).add(value);
  }
  return { open: open.words(), personal: personal.words().filter((word) => !open.has(word)), customer: customerName(payload) };
}

/** The customer's full name in a payload's text, on one line of at most 80 signs; null without one, and where the text is no JSON. */
export const customerNameIn = (text: string): string | null => attempt(() => customerName(parseJson(text)), null);

function customerName(payload: JsonValue): string | null {
  if (!isJsonObject(payload)) return null;
  const name = fullName(payload) ?? textOf(lookUp(payload, "customer.name"), longestName);
  return name === undefined ? null : shorten(name.replaceAll(/[\p{C}\s]+/gu, " ").trim(), longestName) || null;
}

class Budget {
  readonly #words = new Set<string>();
  #left = mostSigns;

  add(value: string): void {
    const digits = groupedDigits(value);
    for (const word of digits === null ? searchWords(value) : [...searchWords(value), digits.slice(0, longestWord)]) {
      if (this.#words.has(word) || word.length > this.#left) continue;
      this.#words.add(word);
      this.#left -= word.length + 1;
    }
  }

  has = (word: string): boolean => this.#words.has(word);
  words = (): string[] => [...this.#words];
}

/** The short values of a payload: conventional members first, then level by level. */
function* shortValues(payload: JsonValue): Generator<{ path: string; value: string }> {
  const first = ["order", "customer"].flatMap((key) => {
    const value = lookUp(payload, key);
    return value === undefined ? [] : [{ path: key, value, depth: 1 }];
  });
  const places: { path: string; value: JsonValue; depth: number }[] = [...first, { path: "", value: payload, depth: 0 }];
  for (const { path, value, depth } of places) {
    if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
      const text = String(value);
      if (text.length <= longestValue && dateAtStart(text) === "" && !text.includes("://")) yield { path, value: text };
    } else if (typeof value === "object" && value !== null && depth < maxDepth) {
      for (const [key, inner] of membersOf(value)) {
        if (places.length >= mostPlaces) break;
        const below = path === "" ? key : `${path}.${key}`;
        if (below.length <= longestPath) places.push({ path: below, value: inner, depth: depth + 1 });
      }
    }
  }
}

const membersOf = (value: JsonValue[] | JsonObject): [string, JsonValue][] =>
  Array.isArray(value)
    ? value.slice(0, 20).map((inner) => ["0", inner])
    : Object.keys(value)
        .slice(0, mostPlaces)
        .map((key) => [key, value[key] ?? null]);
