/** A decimal number of any length, exactly. */
export interface Decimal {
  negative: boolean;
  /** Digits without leading zeros; `0` alone. */
  whole: string;
  /** Digits without trailing zeros. */
  fraction: string;
}

/**
 * The text as a number, null when it is none: `-?(0|[1-9]\d*)(\.\d+)?`, untrimmed, so that `007`, `+5` and `1e3` are texts. Reads each character once: a
 * pattern might take more stack than there is for a million digits.
 */
export function readDecimal(text: string): Decimal | null {
  const start = text.charCodeAt(0) === minus ? 1 : 0;
  const point = skipDigits(text, start);
  if (point === start || (point > start + 1 && text.charCodeAt(start) === zero)) return null;
  const whole = text.slice(start, point);
  let fraction = "";
  if (point < text.length) {
    if (text.charCodeAt(point) !== fullStop || point + 1 === text.length || skipDigits(text, point + 1) !== text.length) return null;
    let end = text.length;
    while (text.charCodeAt(end - 1) === zero) end -= 1;
    fraction = text.slice(point + 1, end);
  }
  return { negative: start === 1 && (whole !== "0" || fraction !== ""), whole, fraction };
}

const [minus, fullStop, zero, nine] = [45, 46, 48, 57];

function skipDigits(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code >= zero && code <= nine; code = text.charCodeAt(at)) at += 1;
  return at;
}

/** Below 0 if `a` is less, above if it is more. Its time grows with the length of the numbers, which are never computed with. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  const size = a.whole.length - b.whole.length || compare(a.whole, b.whole) || compare(a.fraction, b.fraction);
  return a.negative && size !== 0 ? -size : size;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The number's canonical text: equal numbers have the same one. */
export const printDecimal = ({ negative, whole, fraction }: Decimal): string =>
  `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
