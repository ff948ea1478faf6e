const DEFAULT_DECIMALS = 2;

/** At most 26^3 entries: only codes of three letters get in. */
const known = new Map<string, number>();

/** How many decimals amounts of a currency usually have (JPY 0, USD 2, KWD 3); two for what is no currency code. */
export function currencyDecimals(code: string): number {
  if (!/^[A-Za-z]{3}$/.test(code)) return DEFAULT_DECIMALS;
  const currency = code.toUpperCase();
  let decimals = known.get(currency);
  if (decimals === undefined) {
    decimals = new Intl.NumberFormat("en-US", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? DEFAULT_DECIMALS;
    known.set(currency, decimals);
  }
  return decimals;
}
