import { createRequire } from "node:module";
import type * as Library from "libphonenumber-js/max";
import { asciiDigits, isE164, type PhoneRegions, type ReadPhone } from "./core/phone.ts";

/**
 * A phone as people write it, as E.164: one that begins with `+` or `00` by itself, any other by the customer's country, else the site's. A phone in E.164
 * stays unchanged, without a look at the numbering plans. Never throws.
 */
export const normalizePhone: ReadPhone = (value, regions) => {
  if (isE164(value)) return { phone: value };
  if (value.length > longest) return { problem: "too_long" };
  const text = asciiDigits(value.replaceAll(unseen, "").replaceAll(/\s/gu, " ")).replaceAll("\uff0b", "+").trim();
  if (!/\d/.test(text)) return { problem: "not_a_number" };
  const international = /^[ ()]*(?:\+|00)/.test(text);
  const number = international ? text.replace(/^[ ()]*(?:\+|00)[ ()]*/, "+") : text;
  const defaultCountry = international ? undefined : regionOf(regions);
  const options = { ...(defaultCountry !== undefined && { defaultCountry }), extract: false };
  const { default: parse, validatePhoneNumberLength } = library();
  const parsed = parse(number, options);
  if (parsed?.isValid() === true && isE164(parsed.number)) return { phone: parsed.number };
  const length = validatePhoneNumberLength(number, options);
  if (length === "INVALID_COUNTRY" && !international) return { problem: "no_country" };
  return { problem: length === undefined ? "not_valid" : problems[length] };
};

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
