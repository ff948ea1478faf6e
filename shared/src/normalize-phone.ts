import { createRequire } from "node:module";
import type * as Library from "libphonenumber-js/max";
import { asciiDigits, isE164, type PhoneRegions, type ReadPhone } from "./core/phone.ts";

/**
 * A phone as people write it, as E.164: one that begins with `+` or `00` by itself, any other by the customer's country, else the site's. The answer is the
 * number that was written, without what only belongs to its writing: a national prefix behind the country code (`+49 0171…`, `+52 1 55…`), or the country's
 * own code in a number without a plus. What may mean two numbers is a problem. Any other phone in E.164 stays unchanged, mostly without a look at the
 * numbering plans. Never throws.
 */
export const normalizePhone: ReadPhone = (value, regions) => {
  if (isE164(value)) return { phone: mayHoldPrefix.test(value) ? (readInternational(value)?.number ?? value) : value };
  if (value.length > longest) return { problem: "too_long" };
  const text = asciiDigits(value.replaceAll(unseen, "").replaceAll(/\s/gu, " ")).replaceAll("\uff0b", "+").trim();
  if (!/\d/.test(text) || asFraction.test(text)) return { problem: "not_a_number" };
  const typed = toTyped(text, regionOf(regions));
  const found = readTyped(typed);
  if (found !== undefined) return namesTwo(typed, found) ? { problem: "not_valid" } : { phone: found.number };
  const { number, country, isInternational } = typed;
  const length = library().validatePhoneNumberLength(number, optionsOf(isInternational ? undefined : country));
  if (length === "INVALID_COUNTRY" && !isInternational) return { problem: "no_country" };
  return { problem: length === undefined ? "not_valid" : problems[length] };
};

/** The country of a phone in E.164 (ISO 3166-1 alpha-2), for an unassigned number that of its country code; null where there is none. Never throws. */
export function countryOf(phone: string): string | null {
  const parsed = phone.length > longest ? undefined : library().default(phone, optionsOf(undefined));
  return parsed?.country ?? parsed?.getPossibleCountries()[0] ?? null;
}

/** A text in ASCII digits. */
interface Typed {
  text: string;
  /** The text, with a plus in place of `00`. */
  number: string;
  isInternational: boolean;
  country: Library.CountryCode | undefined;
}

const international = /^[ ()]*(?:\+|00)[ ()]*/;

function toTyped(text: string, country: Library.CountryCode | undefined): Typed {
  const isInternational = international.test(text);
  return { text, number: isInternational ? text.replace(international, "+") : text, isInternational, country };
}

function readTyped({ text, number, isInternational, country }: Typed): Library.PhoneNumber | undefined {
  if (!isInternational) return country === undefined ? undefined : readNational(text, country);
  const found = readInternational(number);
  if (country === undefined || text.includes("+")) return found;
  // Where people dial abroad otherwise, `001…` may begin with the country's own prefix. Nobody dials abroad to reach their own country.
  if (found?.country === country) return found;
  const dialled = valid(library().default(text, optionsOf(country)));
  return found === undefined || dialled === undefined || dialled.number === found.number ? (found ?? dialled) : undefined;
}

/** Reads a number behind a plus. The numbering plans add an area code to a few that lack theirs; only Argentina's sign of mobile numbers is no guess. */
function readInternational(number: string): Library.PhoneNumber | undefined {
  const parsed = library().default(number, optionsOf(undefined));
  const found =
    valid(parsed) ??
    (parsed && withoutPrefix(parsed, behindCode)) ??
    (number.includes("(0)") ? valid(library().default(number.replace("(0)", ""), optionsOf(undefined))) : undefined);
  if (found === undefined || found.countryCallingCode === "54") return found;
  return number.replaceAll(/\D/g, "").includes(found.nationalNumber) ? found : undefined;
}

/** Reads a number without a plus. It may have the country's own code, which counts unless the country writes a number of its own so. */
function readNational(text: string, country: Library.CountryCode): Library.PhoneNumber | undefined {
  const parsed = library().default(text, optionsOf(country));
  const own = valid(parsed) ?? (parsed && withoutPrefix(parsed, beforeNational));
  const code = library().getCountryCallingCode(country);
  const digits = text.replaceAll(/\D/g, "");
  if (digits.startsWith(code)) {
    const withPlus = readInternational(`+${text}`);
    if (withPlus !== undefined && (own === undefined || !isWrittenSo(own, digits, withPlus))) return withPlus;
  }
  if (own !== undefined || !digits.startsWith(`0${code}`)) return own;
  return readInternational(`+${text.slice(text.indexOf("0") + 1)}`);
}

/** Whether people of the country write their number as these digits: with its national prefix, or as a mobile number without it where `other` is no mobile number. */
const isWrittenSo = (own: Library.PhoneNumber, digits: string, other: Library.PhoneNumber): boolean =>
  own.formatNational().replaceAll(/\D/g, "") === digits || (isMobile(own) && !isMobile(other));

const isMobile = (number: Library.PhoneNumber): boolean => ["MOBILE", "FIXED_LINE_OR_MOBILE"].includes(number.getType() ?? "");

/** A number that is none but for a prefix that the numbering plans do not know, or not any more. */
function withoutPrefix(parsed: Library.PhoneNumber, prefixes: Readonly<Record<string, RegExp>>): Library.PhoneNumber | undefined {
  const { countryCallingCode: code, nationalNumber } = parsed;
  const rest = nationalNumber.replace(prefixes[code] ?? "", "");
  return rest === nationalNumber ? undefined : valid(library().default(`+${code}${rest}`, optionsOf(undefined)));
}

/** Prefixes by country code: Mexico's until 2019 and 2020, the zero that looks like a carrier's in Colombia, Argentina's 9 before the area code and the 15 that means the same. */
const beforeNational = { "52": /^0(?:1|4[45])(?=\d{10}$)/, "57": /^0/ };
const behindCode = { "52": /^(?:1|0(?:1|4[45]))(?=\d{10}$)/, "54": /^9(?!0\d{10}$)|(?<=^9)0(?=\d{10}$)/, "57": /^0/ };

/** E.164 in which a prefix may stand behind the country code: a zero, or the sign of a country whose prefix is another. */
const mayHoldPrefix =
  /^\+(?:(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})0|11|521|54\d{12}|6921|78|(?:370|375|993)8)/;

/** Whether the text seems to name a second number behind a whole one, as in `0171 2345678/9`. */
function namesTwo({ text, country }: Typed, found: Library.PhoneNumber): boolean {
  const last = Math.max(text.lastIndexOf("/"), text.lastIndexOf("("));
  const alone = last > 0 ? readTyped(toTyped(text.slice(0, last), country)) : undefined;
  return alone !== undefined && alone.number !== found.number;
}

const valid = (number: Library.PhoneNumber | undefined) => (number?.isValid() === true && isE164(number.number) ? number : undefined);

const optionsOf = (country: Library.CountryCode | undefined) => ({
  ...(country !== undefined && { defaultCountry: country }),
  extract: false,
});

/** A whole number that a table has stored as a fraction. Its dot would make the zero behind it a digit. */
const asFraction = /^\+?\d{7,}\.0+$/;

/** The longest text that the library reads. */
const longest = 250;

/** Marks of direction and other invisible characters, which are often copied along with a number. */
const unseen = /\p{Cf}/gu;

/** `INVALID_COUNTRY` is a country code that does not exist. */
const problems = {
  TOO_SHORT: "too_short",
  TOO_LONG: "too_long",
  NOT_A_NUMBER: "not_a_number",
  INVALID_COUNTRY: "not_valid",
  INVALID_LENGTH: "not_valid",
} as const;

function regionOf({ country, siteCountry }: PhoneRegions): Library.CountryCode | undefined {
  const { isSupportedCountry } = library();
  return [country, siteCountry].map((code) => code?.trim().toUpperCase() ?? "").find((code) => isSupportedCountry(code));
}

/** The numbering plans of the world take 50 to 80 ms and 3 MB to load: they are loaded with the first number that needs them. */
const library = (): typeof Library => (loaded ??= createRequire(import.meta.url)("libphonenumber-js/max") as typeof Library);
let loaded: typeof Library | undefined;
