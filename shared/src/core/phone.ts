const e164Pattern = /^\+[1-9]\d{6,14}$/;

/** Whether `text` is a phone number in E.164 form: a plus, a country code, 7 to 15 digits in all. */
export const isE164 = (text: string): boolean => e164Pattern.test(text);

/** The reason why a phone as people write it cannot be made E.164. */
export type PhoneProblem = (typeof phoneProblems)[number];
export const phoneProblems = ["no_country", "too_short", "too_long", "not_a_number", "not_valid"] as const;

/** Countries as ISO 3166-1 alpha-2; an unknown one counts as none. The customer's has priority. */
export interface PhoneRegions {
  country: string | null | undefined;
  siteCountry: string | null | undefined;
}

/** Reads a phone by the numbering plans, which are not part of the core. */
export type ReadPhone = (value: string, regions: PhoneRegions) => { phone: string } | { problem: PhoneProblem };

/**
 * Every way in which the platform may write a number that is given as E.164 or as digits, each as digits alone: in some countries its own form has a digit
 * that is not dialled, or lacks one that is. All forms of one number give the same list.
 */
export function phoneForms(phone: string): string[] {
  const digits = phone.replaceAll(/\D/g, "");
  for (const { extra, pattern } of countries) {
    const [, code, number] = pattern.exec(digits) ?? [];
    if (code !== undefined && number !== undefined) return [`${code}${number}`, `${code}${extra}${number}`];
  }
  return [digits];
}

/** A text that is the same for all forms of a number: who has one of them is the person who has the others. */
export const personOf = (phone: string): string => phoneForms(phone)[0] ?? "";

/** Brazil, Mexico, Argentina: the digit that may be there, between the country code (with the area code) and the rest. */
const countries = [
  { extra: "9", pattern: /^(55[1-9]\d)9?(\d{8})$/ },
  { extra: "1", pattern: /^(52)1?(\d{10})$/ },
  { extra: "9", pattern: /^(54)9?(\d{10})$/ },
];

/** A decimal digit of any script, as a part of a regular expression with the flag `u`. */
const anyDigit = String.raw`\p{Nd}`;

/**
 * The characters that people put between the digits of a phone, as a part of a bracket expression that PostgreSQL and JavaScript read alike: signs, the
 * spaces and hyphens of typography, invisible ones among them, and the full-width forms that go with full-width digits.
 */
export const phoneSeparators =
  "-() ./\t\u00a0\u00ad\u061c\u2000-\u200f\u2010-\u2015\u202a-\u202f\u2060-\u2069\u2212\u3000\u30fc\ufe63\ufeff\uff08\uff09\uff0d-\uff0f";

/** A digit behind the characters that people put between two of them. */
const next = String.raw`(?:[${phoneSeparators}]{0,2}${anyDigit})`;

/** A regular expression (flag `u`) for seven or more digits of any script behind a plus. */
export const internationalPhone = String.raw`[+\uff0b]${anyDigit}${next}{6,}`;
/** A regular expression (flag `u`) for nine or more digits. It also takes other long numbers for phones: masking one too many does less harm. */
export const longPhone = `${anyDigit}${next}{8,}`;

const datePattern = /^\d{4}-\d{2}-\d{2}/;

/** Whether a text begins like a date, and therefore is no phone. */
export const beginsWithDate = (text: string): boolean => datePattern.test(asciiDigits(text).replaceAll("\uff0d", "-"));

const noAsciiDigit = /[^\P{Nd}0-9]/gu;

/** A text with the decimal digits of every script as 0 to 9: `４９`, `٤٩` and `49` are the same. */
export const asciiDigits = (text: string): string => text.replaceAll(noAsciiDigit, (digit) => String(valueOf(digit.codePointAt(0) ?? 0)));

/** The zeros of all scripts but ASCII's, as code points; each is followed by its other nine digits. */
export const foreignZeros = (): readonly number[] => (found ??= findZeros());

let found: readonly number[] | undefined;

/** The zeros of all scripts that this runtime's Unicode knows, so that masking and erasing find the same digits. */
function findZeros(): number[] {
  const codePoints = Array.from({ length: lastCode - firstCode }, (_, index) => firstCode + index);
  return codePoints.filter((codePoint) => isDigit(codePoint) && valueOf(codePoint) === 0);
}

/** The planes that have scripts and signs. */
const firstCode = 0x80;
const lastCode = 0x20000;

/** The value of a digit: Unicode keeps the ten digits of a script together, in their order. */
function valueOf(codePoint: number): number {
  let before = 0;
  while (isDigit(codePoint - before - 1)) before += 1;
  return before % 10;
}

const isDigit = (codePoint: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(codePoint));
