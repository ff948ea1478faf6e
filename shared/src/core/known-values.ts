import { digitsOf, numbers, numbersIn, replaceNumbers } from "./phone-in-text.ts";
import { attempt } from "./text.ts";

export const maskedText = "•••";

/** Finds values of a person again, however they are written. */
export interface KnownValues {
  /** The text with each known value masked. */
  hide(text: string): string;
  /** Whether it holds one. */
  isIn(text: string): boolean;
}

const fewestDigits = 7;

/**
 * Values with letters are found as the same words in the same order, whatever the case, accents and signs between them; phones by their digits, with or
 * without the country's code.
 */
export function knownValues(values: readonly string[]): KnownValues {
  const findWords = wordFinder(values.filter((value) => /\p{L}/u.test(value)));
  const own = values.map((value) => digitsOf(value).replace(/^0+/, "")).filter((digits) => digits.length >= fewestDigits);
  const isKnown = (digits: string): boolean => {
    const bare = digits.replace(/^0+/, "");
    if (bare.length < fewestDigits) return false;
    return own.some((number) => number.endsWith(bare) || bare.endsWith(number));
  };
  const hideNumbers = (text: string): string =>
    own.length === 0
      ? text
      : replaceNumbers(text, numbers.any, (found) =>
          // Unusual signs may stand within a number, or between two.
          [found, ...numbersIn(found, numbers.usual)].some((number) => isKnown(digitsOf(number))) ? maskedText : found,
        );
  const hide = (text: string): string => {
    const shown = hideNumbers(hidePlaces(text, findWords(text)));
    if (!encoded.test(shown)) return shown;
    const plain = decode(shown);
    return findWords(plain).length > 0 || hideNumbers(plain) !== plain ? maskedText : shown;
  };
  return { hide, isIn: (text) => hide(text) !== text };
}

/** Where a known value stands in a text: from there up to there. */
type Place = readonly [from: number, to: number];

function hidePlaces(text: string, places: readonly Place[]): string {
  if (places.length === 0) return text;
  let [shown, end] = ["", 0];
  for (const [from, to] of places) [shown, end] = [shown + text.slice(end, from) + maskedText, to];
  return shown + text.slice(end);
}

/** A word, with signs in it that nobody sees; a sign of an address that is written out stands between two. */
const wordInText = /[([{] ?(?:at|dot) ?[)\]}]|[\p{L}\p{N}][\p{L}\p{N}\p{M}\p{Cf}]*/giu;
/** Words of these scripts stand together without spaces. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

const plainWord = /^[a-z0-9]*$/;

/** A word without case, accents and invisible signs; `ue` and `ü` are one, as are `ß` and `ss`. */
function fold(word: string): string {
  const lower = word.toLowerCase();
  const bare = plainWord.test(lower) ? lower : spell(lower.normalize("NFKD").replaceAll(/[\p{M}\p{Cf}]/gu, ""));
  return bare.length < 5 ? bare : bare.replaceAll(/([aou])e/g, "$1");
}

const spell = (word: string): string => word.replaceAll("ß", "ss").replaceAll("ø", "o");

function* wordsOf(text: string): Generator<{ word: string; at: number; end: number }> {
  for (const { 0: word, index: at } of text.matchAll(wordInText))
    if (!"([{".includes(word.charAt(0))) yield { word: fold(word), at, end: at + word.length };
}

/** Finds values as a sequence of words, in time that grows with the text alone: values are looked up by their first word. */
function wordFinder(values: readonly string[]): (text: string) => Place[] {
  const byFirst = new Map<string, string[][]>();
  const together: string[] = [];
  for (const value of values) {
    const words = [...wordsOf(value)].map(({ word }) => word);
    const [first] = words;
    if (first === undefined) continue;
    if (words.length === 1 && unspaced.test(first)) together.push(first);
    byFirst.set(
      first,
      [...(byFirst.get(first) ?? []), words].toSorted((a, b) => b.length - a.length),
    );
  }
  if (byFirst.size === 0) return () => [];
  return (text) => {
    const words = [...wordsOf(text)];
    const places: Place[] = [];
    for (let at = 0; at < words.length; at += 1) {
      const here = words[at];
      if (here === undefined) break;
      const found = byFirst.get(here.word)?.find((known) => known.every((word, index) => words[at + index]?.word === word));
      const length = found?.length ?? Number(together.some((known) => here.word.includes(known)));
      if (length === 0) continue;
      places.push([here.at, words[at + length - 1]?.end ?? here.end]);
      at += length - 1;
    }
    return places;
  };
}

/** Letters and spaces as HTML and addresses write them. */
const encoded = /%[0-9a-f]{2}|&(?:#|[a-z])/iu;

function decode(text: string): string {
  const letters = text
    .replaceAll(/&#(x[0-9a-f]{1,6}|\d{1,7});/giu, (found, code: string) => {
      const point = Number(code.startsWith("x") || code.startsWith("X") ? `0${code}` : code);
      return point <= 0x10_ff_ff ? String.fromCodePoint(point) : found;
    })
    .replaceAll(/&([a-z])(?:uml|acute|grave|circ|tilde|cedil|ring|slash|caron);/giu, "$1")
    .replaceAll(/&szlig;/giu, "ss")
    .replaceAll(/&nbsp;/giu, " ");
  // An address within an address is encoded twice.
  return [0, 1].reduce(decodeOnce, letters);
}

const decodeOnce = (text: string) => text.replaceAll(/(?:%[0-9a-f]{2})+/giu, (bytes) => attempt(() => decodeURIComponent(bytes), bytes));
