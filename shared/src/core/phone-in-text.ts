import { anyDigits } from "./phone.ts";

/** A digit of any script, also a raised or circled one, as a part of a regular expression with the flag `u`. */
const anyDigit = String.raw`[\p{Nd}\p{No}]`;

/** The signs that make a number international, as parts of a bracket expression. */
export const plusSigns = String.raw`+\uff0b\u207a\u208a\ufe62`;

/**
 * The characters that people put between the digits of a phone, as a part of a bracket expression: signs, middle dots, the spaces and hyphens of typography,
 * invisible ones among them, and the full-width forms that go with full-width digits.
 */
const usual =
  "-()_ ./\\t\\u00a0\\u00ad\\u00b7\\u034f\\u061c\\u1680\\u180e\\u2000-\\u2015\\u2022\\u2027\\u202a-\\u202f\\u205f-\\u2069\\u20e3\\u2212\\u2219\\u22c5\\u3000\\u30fb\\u30fc\\ufe0e\\ufe0f\\ufe63\\ufeff\\uff08\\uff09\\uff0d-\\uff0f\\uff65";

/** Spaces and signs as HTML and addresses write them, also with the `&` that JSON may escape: shops' texts have them between digits. */
export const writtenSpace = String.raw`(?:&|\\u0026)(?:nbsp|#160|#[xX][aA]0);|%(?:20|2[89dDeEfF]|[cC]2%[aA]0)`;

/** The most characters and entities between two digits: `415 - 555`. */
export const mostSeparators = 3;

/** A digit behind the characters that people put between two of them. */
const behind = (signs: string): string => String.raw`(?:(?:${writtenSpace}|${signs}){0,${mostSeparators}}${anyDigit})`;
const next = behind(`[${usual}]`);
/** Where something else says that it is a phone, any signs of one line may stand between: `+49,171,…`, `49=171=…`. */
const nextBehindAny = behind(String.raw`[^\p{L}\p{N}\n${plusSigns}]`);

/** A regular expression (flag `u`) for seven or more digits of any script behind a plus. */
export const internationalPhone = String.raw`[${plusSigns}]${anyDigit}${nextBehindAny}{6,}`;
/** A regular expression (flag `u`) for nine or more digits. It also takes other long numbers for phones: masking one too many does less harm. */
export const longPhone = `${anyDigit}${next}{8,}`;

/** The same in the key of an object, which is no text with amounts. */
export const phoneInKey = `${anyDigit}${nextBehindAny}{8,}`;

/** A regular expression (flag `u`) for seven or more digits, whatever stands between. */
export const digitsInText = `${anyDigit}${nextBehindAny}{6,}`;
export const numberInText = new RegExp(`[${plusSigns}]?${digitsInText}`, "gu");
/** The same with what people put between them alone. */
export const digitsAsUsual = `${anyDigit}${next}{6,}`;

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
