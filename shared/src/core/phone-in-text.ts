import { anyDigits } from "./phone.ts";

/** The signs that make a number international, as parts of a bracket expression. */
export const plusSigns = String.raw`+\uff0b\u207a\u208a\ufe62`;

/** Spaces and signs as HTML and addresses write them, also with the `&` that JSON may escape: shops' texts have them between digits. */
export const writtenSpace = String.raw`(?:&|\\u0026)(?:nbsp|#160|#[xX][aA]0);|%(?:20|2[89dDeEfF]|[cC]2%[aA]0)`;

/** The most characters and entities between two digits: `415 - 555`. */
export const mostSeparators = 3;

/**
 * The characters that people put between the digits of a phone, as a part of a bracket expression: middle dots, the spaces and hyphens of typography,
 * invisible ones among them, and the full-width forms that go with full-width digits.
 */
const usualSigns =
  "\\u00a0\\u00ad\\u00b7\\u034f\\u061c\\u1680\\u180e\\u2000-\\u2015\\u2022\\u2027\\u202a-\\u202f\\u205f-\\u2069\\u20e3\\u2212\\u2219\\u22c5\\u3000\\u30fb\\ufe0e\\ufe0f\\ufe63\\ufeff\\uff08\\uff09\\uff0d-\\uff0f\\uff65";

/** What stands in an outline for a digit of any script (also a raised or circled one), a letter that is a usual sign, a letter, any other sign. */
const [aDigit, usualLetter, aLetter, aSign] = ["\x80", "\x81", "\x82", "\x83"];
/** It stands behind that where a character has two units. */
const secondUnit = "\x84";

/** What is put in place of all but ASCII, one after the other. */
const outlines: readonly (readonly [RegExp, string])[] = [
  [/[\x80-\x84]/g, aSign],
  [/(?=[\u{10000}-\u{10ffff}])[\p{Nd}\p{No}]/gu, aDigit + secondUnit],
  [/(?=[\u{10000}-\u{10ffff}])[\p{L}\p{N}]/gu, aLetter + secondUnit],
  [/[\u{10000}-\u{10ffff}]/gu, aSign + secondUnit],
  [/(?=[^\0-\x84])[\p{Nd}\p{No}]/gu, aDigit],
  [/\u30fc/g, usualLetter],
  [new RegExp(`[${usualSigns}]`, "g"), "-"],
  [/(?=[^\0-\x84])[\p{L}\p{N}]/gu, aLetter],
  [new RegExp(`(?!\\+)[${plusSigns}]`, "g"), "+"],
  [/[^\0-\x84]/g, aSign],
];

/**
 * A text with a sign of Latin 1 for each unit, in which numbers are looked for: expressions with the letters and digits of Unicode many times over take a
 * tenth of a second to compile.
 */
const outlineOf = (text: string): string =>
  isAscii.test(text) ? text : outlines.reduce((outline, [signs, kind]) => outline.replaceAll(signs, kind), text);

const isAscii = /^[\0-\x7f]*$/;

const digit = `[0-9${aDigit}]${secondUnit}?`;
/** A digit behind the characters that people put between two of them. */
const behind = (signs: string): string => `(?:(?:${writtenSpace}|${signs}${secondUnit}?){0,${mostSeparators}}${digit})`;
const next = behind(`[-()_ ./\\t${usualLetter}]`);
/** Where something else says that it is a phone, any signs of one line may stand between: `+49,171,…`, `49=171=…`. */
const nextBehindAny = behind(`[^A-Za-z0-9\\n+${aDigit}${usualLetter}${aLetter}${secondUnit}]`);

const international = `\\+${digit}${nextBehindAny}{6,}`;
const long = `${digit}${next}{8,}`;

/** Expressions for `replaceNumbers`. Long ones also take other long numbers for phones: masking one too many does less harm. */
export const numbers = {
  /** Seven or more digits of any script behind a plus. */
  international: new RegExp(international, "g"),
  /** Nine or more digits. */
  long: new RegExp(long, "g"),
  inText: new RegExp(`${international}|${long}`, "g"),
  /** The key of an object is no text with amounts. */
  inKey: new RegExp(`${international}|${digit}${nextBehindAny}{8,}`, "g"),
  /** Seven or more digits, whatever stands between, or what people put between them alone. */
  any: new RegExp(`\\+?${digit}${nextBehindAny}{6,}`, "g"),
  usual: new RegExp(`${digit}${next}{6,}`, "g"),
};

/** The text with other texts in place of its numbers. */
export function replaceNumbers(text: string, expression: RegExp, replace: (found: string) => string): string {
  let [shown, end] = ["", 0];
  for (const { index, 0: found } of outlineOf(text).matchAll(expression)) {
    shown += text.slice(end, index) + replace(text.slice(index, index + found.length));
    end = index + found.length;
  }
  return shown + text.slice(end);
}

export const hasNumber = (text: string, expression: RegExp): boolean => outlineOf(text).search(expression) >= 0;

/** The numbers of a text. */
export function numbersIn(text: string, expression: RegExp): string[] {
  const found: string[] = [];
  replaceNumbers(text, expression, (number) => (found.push(number), number));
  return found;
}

/** The digits of a phone in a text, as ASCII. */
export const digitsOf = (text: string): string => anyDigits(text.replaceAll(written, " ")).replaceAll(/\D/g, "");
const written = new RegExp(writtenSpace, "gu");

const longestDate = 40;
const datePattern = /^\d{4}[-_]\d{2}[-_]\d{2}(?:[T_ -]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:[+-]\d{2}:?\d{2})?(?!\d))?/;

/** The date, with its time, that a text begins with, which is no phone; empty without one. */
export function dateAtStart(text: string): string {
  const start = text.slice(0, longestDate);
  const plain = anyDigits(start).replaceAll("\uff0d", "-");
  return plain.length === start.length ? text.slice(0, datePattern.exec(plain)?.[0].length ?? 0) : "";
}
