import { asciiDigits } from "./phone.ts";

/** A decimal digit of any script, as a part of a regular expression with the flag `u`. */
const anyDigit = String.raw`\p{Nd}`;

/**
 * The characters that people put between the digits of a phone, as a part of a bracket expression that PostgreSQL and JavaScript read alike: signs, the
 * spaces and hyphens of typography, invisible ones among them, and the full-width forms that go with full-width digits.
 */
export const phoneSeparators =
  "-()_ ./\t\u00a0\u00ad\u061c\u2000-\u200f\u2010-\u2015\u202a-\u202f\u2060-\u2069\u2212\u3000\u30fc\ufe63\ufeff\uff08\uff09\uff0d-\uff0f";

/** A space that does not break, as HTML writes it, also with the `&` that JSON may escape: shops' texts have it between digits. */
export const htmlSpace = String.raw`(?:&|\\u0026)(?:nbsp|#160|#[xX][aA]0);`;

/** The most characters and entities between two digits: `415 - 555`. */
export const mostSeparators = 3;

/** A digit behind the characters that people put between two of them. */
const next = String.raw`(?:(?:[${phoneSeparators}]|${htmlSpace}){0,${mostSeparators}}${anyDigit})`;

/** A regular expression (flag `u`) for seven or more digits of any script behind a plus. */
export const internationalPhone = String.raw`[+\uff0b]${anyDigit}${next}{6,}`;
/** A regular expression (flag `u`) for nine or more digits. It also takes other long numbers for phones: masking one too many does less harm. */
export const longPhone = `${anyDigit}${next}{8,}`;

/** A regular expression (flag `u`) for seven or more digits. */
export const digitsInText = `${anyDigit}${next}{6,}`;

const datePattern = /^\d{4}[-_]\d{2}[-_]\d{2}/;

/** Whether a text begins like a date, and therefore is no phone. */
export const beginsWithDate = (text: string): boolean => datePattern.test(asciiDigits(text).replaceAll("\uff0d", "-"));
