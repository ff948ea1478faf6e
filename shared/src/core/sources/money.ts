import { readDecimal } from "../decimal.ts";
import { otherDecimals } from "../expressions.ts";

const standard = new Set(Intl.supportedValuesOf("currency"));

/** The number of decimals of a currency's amounts: 2 unless the standard says otherwise, or as many as are written where it is none of the standard's (BTC). */
function decimalsOf(currency: string | undefined, written: number): number {
  const code = currency?.toUpperCase() ?? "";
  return otherDecimals.get(code) ?? (code === "" || standard.has(code) ? 2 : Math.max(2, written));
}

/** A longer text is no amount of money, and would take long to compute with. */
const longest = 40;

interface Exact {
  /** The number times 10 to the power of `scale`. */
  digits: bigint;
  scale: number;
}

function exact(text: string): Exact | null {
  const number = text.length > longest ? null : readDecimal(text);
  if (number === null) return null;
  const digits = BigInt(number.whole + number.fraction);
  return { digits: number.negative ? -digits : digits, scale: number.fraction.length };
}

const to = ({ digits, scale }: Exact, wanted: number): bigint => digits * 10n ** BigInt(wanted - scale);

/** An amount as nearly all are written, which needs no computing. */
const usual = /^(?:0|[1-9]\d{0,14})\.\d\d$/;

/**
 * The sum of the amounts divided by `quantity`, rounded half up to the currency's decimals, as text such as `16.67`. The amounts and the quantity are
 * decimal numbers as texts. Null if one is none, there is no amount, or the quantity is not above 0.
 */
export function amountOf(amounts: readonly string[], currency: string | undefined, quantity = "1"): string | null {
  const [only = "", ...more] = amounts;
  if (more.length === 0 && quantity === "1" && usual.test(only) && decimalsOf(currency, 2) === 2) return only;
  const numbers = amounts.map(exact);
  const divisor = exact(quantity);
  if (divisor === null || divisor.digits <= 0n || numbers.length === 0 || !numbers.every((number) => number !== null)) return null;
  const scale = Math.max(...numbers.map((number) => number.scale));
  const places = decimalsOf(currency, scale);
  const sum = numbers.reduce((total, number) => total + to(number, scale), 0n);
  const numerator = (sum < 0n ? -sum : sum) * 10n ** BigInt(divisor.scale + places);
  const denominator = divisor.digits * 10n ** BigInt(scale);
  const rounded = (2n * numerator + denominator) / (2n * denominator);
  const text = rounded.toString().padStart(places + 1, "0");
  const whole = text.slice(0, text.length - places);
  const sign = sum < 0n && rounded > 0n ? "-" : "";
  return `${sign}${whole}${places === 0 ? "" : `.${text.slice(-places)}`}`;
}
