import { mostSeparators, writtenSpace } from "./phone-in-text.ts";
import { foreignZeros, numeralsOf, phoneForms } from "./phone.ts";
import type { ShopPerson } from "./sources/source.ts";

/**
 * Regular expressions that find a phone in any of its forms in a text or a JSON text, however its digits are grouped or escaped, with or without a plus.
 * They work in PostgreSQL and, with the flag `u`, in JavaScript. A number without its country code is not recognised (but see `phoneEnding`).
 */
export interface PhonePattern {
  /** The pattern in ASCII digits. */
  ascii: string;
  /** Whether a text has digits of another script at all. Most texts have none, and skip the third pattern, which costs several times as much. */
  hasOthers: string;
  /** The pattern in digits of any scripts. */
  any: string;
}

export const phonePattern = (phone: string): PhonePattern => patternsOf(phoneForms(phone), beginning);

/** The pattern of a phone's last digits, whatever stands before them: it also finds the number without its country code, for texts that are known to name this phone. */
export const phoneEnding = (phone: string): PhonePattern => patternsOf([phone.slice(-endingLength)], () => "");

const endingLength = 7;

const patternsOf = (forms: readonly string[], before: (spelling: Spelling) => string): PhonePattern => ({
  ascii: patternOf(forms, before, { digits: "0-9", zeros: "0", spell: (digit) => String.raw`(?:${digit}|\\u003${digit})` }),
  hasOthers: `[${otherDigits()}${twoDigits}]|${[...new Set([...foreignZeros().map(escapeOfScript), ...numerals().map(escapedBeginning)])].join("|")}`,
  any: patternOf(forms, before, { digits: `0-9${otherDigits()}`, zeros: `0${inOthers("0").join("")}`, spell: inAnyScript }),
});

/** Tells whether a text names the phone. */
export function phoneFinder({ ascii, hasOthers, any }: PhonePattern): (text: string) => boolean {
  const [inAscii, others, inAny] = [new RegExp(ascii, "u"), new RegExp(hasOthers, "u"), new RegExp(any, "u")];
  return (text) => inAscii.test(text) || (others.test(text) && (inAny.test(text) || inAny.test(text.normalize("NFKC"))));
}

/** Signs that hold two digits, `⑩` to `㊿`: a text is also looked at in its plain form (NFKC). */
const twoDigits = String.raw`\u2469-\u2473\u247d-\u2487\u2491-\u249b\u3251-\u325f\u32b1-\u32bf`;

const hex = "[0-9a-fA-F]";
/** Any character but an ASCII digit, as JSON escapes it. */
const escapedSign = String.raw`\\[^u]|\\u(?:0(?:0(?:[0-24-9a-fA-F]${hex}|3[a-fA-F])|[1-9a-fA-F]${hex}{2})|[1-9a-fA-F]${hex}{3})`;

/** `digits` and `zeros` are parts of bracket expressions. */
interface Spelling {
  digits: string;
  zeros: string;
  /** A regular expression of one digit, as itself or escaped. */
  spell: (digit: string) => string;
}

/** The pattern before a number: it does not begin in the middle of another, but right behind an escape, or an international prefix. */
const beginning = ({ digits, zeros }: Spelling): string => String.raw`(?:^|[^${digits}]|\\u[0-9a-fA-F]{4})(?:[${zeros}]{2})?`;

/** The pattern of the digits, between which any signs of a line may stand: so many digits tell more than their separators. So may a trunk zero, `+49 (0)170`. */
function patternOf(forms: readonly string[], before: (spelling: Spelling) => string, spelling: Spelling): string {
  const { digits, zeros, spell } = spelling;
  const separator = String.raw`(?:[^A-Za-z${digits}\\\n]|[(\uff08][${zeros}][)\uff09]|${escapedSign}|${writtenSpace}){0,${mostSeparators}}`;
  const numbers = forms.map((form) => Array.from(form, spell).join(separator));
  return `${before(spelling)}(?:${numbers.join("|")})(?![${digits}])`;
}

const inOthers = (digit: string): string[] => [
  ...foreignZeros().map((zero) => String.fromCodePoint(zero + Number(digit))),
  ...numeralsOf(digit),
];

const numerals = (): string[] => Array.from("0123456789", numeralsOf).flat();

function inAnyScript(digit: string): string {
  const others = inOthers(digit);
  return String.raw`(?:[${digit}${others.join("")}]|\\u003${digit}|${others.map(escaped).join("|")})`;
}

const otherDigits = (): string =>
  [...foreignZeros().map((zero) => `${String.fromCodePoint(zero)}-${String.fromCodePoint(zero + 9)}`), ...numerals()].join("");

/** A sign as JSON escapes it: the units of UTF-16, in hexadecimal digits of either case. */
const escaped = (sign: string): string =>
  unitsOf(sign)
    .map((hex) => String.raw`\\u${eitherCase(hex)}`)
    .join("");

/** The beginning that the escapes of a script's ten digits share, with a few others. */
const escapeOfScript = (zero: number): string => escapedBeginning(String.fromCodePoint(zero));

function escapedBeginning(sign: string): string {
  const whole = unitsOf(sign);
  const shared = whole.length === 1 ? 3 : 2;
  return whole.map((unit, index) => String.raw`\\u${eitherCase(index === whole.length - 1 ? unit.slice(0, shared) : unit)}`).join("");
}

const unitsOf = (sign: string): string[] => sign.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));

const eitherCase = (hex: string): string => hex.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** Regular expressions that find a shop's customer in a JSON text: the phone in any form, the e-mail address in any case, or the shop's id of the customer. */
export function shopPersonPattern({ phone, email, customer }: Pick<ShopPerson, "phone" | "email" | "customer">): PhonePattern {
  const ofPhone = phone === null ? null : phonePattern(phone);
  const parts = [
    ...(ofPhone === null ? [] : [ofPhone.ascii]),
    ...(email === null ? [] : [emailPattern(email)]),
    ...(customer !== null && /^[A-Za-z0-9_-]{1,64}$/.test(customer) ? [customerPattern(customer)] : []),
  ];
  const ascii = parts.length === 0 ? nothing : parts.map((part) => `(?:${part})`).join("|");
  return ofPhone === null ? { ascii, hasOthers: nothing, any: nothing } : { ...ofPhone, ascii };
}

/** Matches no text: nothing stands before its beginning. */
const nothing = ".^";

/** The address, and not the end or the beginning of a longer one. */
function emailPattern(email: string): string {
  const letters = Array.from(email, (sign) => {
    const [lower, upper] = [sign.toLowerCase(), sign.toUpperCase()];
    return lower !== upper && lower.length === 1 && upper.length === 1
      ? `[${lower}${upper}]`
      : sign.replace(/[.*+?^${}()|[\]\\/]/, String.raw`\$&`);
  });
  return String.raw`(?:^|[^A-Za-z0-9._%+-]|\\[nrtbf])${letters.join("")}(?![A-Za-z0-9-]|\.[A-Za-z0-9])`;
}

/** The id where it is the customer's: other things of the shop may have the same number. */
const customerPattern = (id: string): string =>
  [
    String.raw`"customer":\s*\{[^{}]*"id":\s*"?${id}"?\s*[,}]`,
    String.raw`"customer_id":\s*"?${id}"?\s*[,}]`,
    String.raw`gid://shopify/Customer/${id}(?![0-9])`,
  ].join("|");
