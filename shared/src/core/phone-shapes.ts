import { ANY_DIGIT, asciiDigits } from "./phone-digits.ts";
import { PHONE_SEPARATORS } from "./phone-separators.ts";

/** A digit behind what people put between two of them. */
const NEXT = String.raw`(?:[${PHONE_SEPARATORS}]{0,2}${ANY_DIGIT})`;

/** Seven digits behind a plus, in the digits of any script. Regular expressions with the flag `u`, as the next. */
export const INTERNATIONAL_PHONE = String.raw`[+\uff0b]${ANY_DIGIT}${NEXT}{6,}`;
/** Nine digits. Long numbers of other kinds are taken for phones too: rather one too many. */
export const LONG_PHONE = `${ANY_DIGIT}${NEXT}{8,}`;

const DATE = /^\d{4}-\d{2}-\d{2}/;

/** Whether it begins as dates do, and so is no phone. */
export const beginsWithDate = (text: string): boolean => DATE.test(asciiDigits(text).replaceAll("\uff0d", "-"));
