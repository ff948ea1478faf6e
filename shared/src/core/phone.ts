export const e164Pattern = /^\+[1-9]\d{6,14}$/;

/** Whether `text` is a phone number in E.164 form: a plus, a country code, 7 to 15 digits in all. */
export const isE164 = (text: string): boolean => e164Pattern.test(text);

/** The reason why a phone as people write it cannot be made E.164. */
export type PhoneProblem = (typeof phoneProblems)[number];
export const phoneProblems = ["no_country", "too_short", "too_long", "not_a_number", "not_valid"] as const;

/** Countries as ISO 3166-1 alpha-2; an unknown one counts as none. The customer's has priority. */
export type PhoneRegions = Record<"country" | "siteCountry", string | null | undefined>;

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

const noAsciiDigit = /[^\P{Nd}0-9]/gu;

/** A text with the decimal digits of every script as 0 to 9: `４９`, `٤٩` and `49` are the same. */
export const asciiDigits = (text: string): string => text.replaceAll(noAsciiDigit, (digit) => String(valueOf(digit.codePointAt(0) ?? 0)));

/** The same, also of digits that are raised, circled or have a stop: `⁴⑨` are `49`. Only for finding: a raised digit may be a footnote's. */
export const anyDigits = (text: string): string =>
  isAscii.test(text) ? text : asciiDigits(text.replaceAll(/\p{No}/gu, (numeral) => ofNumeral(numeral)));

const isAscii = /^[ -~]*$/;

/** Circled digits that Unicode gives no plain form, by where a 1 stands, and the zeros. */
const circled = [0x2776, 0x2780, 0x278a, 0x24f5];
const circledZeros = new Set([0x24ff, 0x1f10b, 0x1f10c]);

/** The digits of a numeral; empty for others, such as fractions. */
function ofNumeral(numeral: string): string {
  const code = numeral.codePointAt(0) ?? 0;
  const first = circled.find((one) => code >= one && code < one + 10);
  if (circledZeros.has(code)) return "0";
  if (first !== undefined) return String(code - first + 1);
  const plain = numeral.normalize("NFKC");
  return plain.includes("\u2044") ? "" : plain.replaceAll(/[^0-9]/g, "");
}

/** The signs that stand for a digit but belong to no script, such as `⁴` and `④`. */
export const numeralsOf = (digit: string): readonly string[] =>
  (numerals ??= signsOf(/\p{No}/gu).filter((sign) => ofNumeral(sign).length === 1)).filter((sign) => ofNumeral(sign) === digit);
let numerals: readonly string[] | undefined;

/**
 * The zeros of all scripts but ASCII's that this runtime's Unicode knows, as code points, so that masking and erasing find the same digits; each is followed
 * by its other nine digits.
 */
export const foreignZeros = (): readonly number[] =>
  (zeros ??= signsOf(/\p{Nd}/gu)
    .map((sign) => sign.codePointAt(0) ?? 0)
    .filter((codePoint) => valueOf(codePoint) === 0));
let zeros: readonly number[] | undefined;

/** The signs of a kind in the planes that have scripts and signs, but for ASCII's. */
const signsOf = (kind: RegExp): string[] =>
  Array.from({ length: 0x20000 - 0x80 }, (_, index) => String.fromCodePoint(0x80 + index))
    .join("")
    .match(kind) ?? [];

/** The value of a digit: Unicode keeps the ten digits of a script together, in their order. */
function valueOf(codePoint: number): number {
  let before = 0;
  while (isDigit(codePoint - before - 1)) before += 1;
  return before % 10;
}

const isDigit = (codePoint: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(codePoint));
