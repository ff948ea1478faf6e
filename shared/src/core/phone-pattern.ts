import { phoneForms } from "./phone-forms.ts";
import { PHONE_SEPARATORS } from "./phone-separators.ts";

/** What may stand between two digits, as itself or as JSON escapes it; also the zero of a trunk call, `+49 (0)170`. */
const SEPARATOR = String.raw`(?:[${PHONE_SEPARATORS}+]|\(0\)|\\[\/t]|\\u00(?:09|20|28|29|2[dD]|2[eE]|2[fF]|[aA]0)|\\u20(?:0[0-9a-dA-D]|1[0-5]|2[fF]|60)){0,3}`;
/** A number does not begin in the middle of another, but right behind an escape, or an international prefix. */
const BEFORE = String.raw`(?:^|[^0-9]|\\u[0-9a-fA-F]{4})(?:00)?`;

/**
 * A regular expression, for PostgreSQL and JavaScript alike, that finds a phone in any of its forms in a text or a JSON text, however its digits are grouped
 * or escaped, with or without a plus. A number without its country code is not recognised.
 */
export const phonePattern = (phone: string): string => `${BEFORE}(?:${phoneForms(phone).map(spelled).join("|")})(?![0-9])`;

const spelled = (digits: string): string => Array.from(digits, (digit) => String.raw`(?:${digit}|\\u003${digit})`).join(SEPARATOR);
