import type { JsonObject } from "../json/value.ts";
import { lookUp } from "../path.ts";
import { currencyDecimals } from "./currency-decimals.ts";

/**
 * `USD 49.90`, from the order, else the cart: whichever first gives both a currency and an amount, because one without the other
 * says nothing. Undefined when neither does.
 */
export const totalWithCurrency = (payload: JsonObject): string | undefined => totalOf(payload, "order") ?? totalOf(payload, "cart");

function totalOf(payload: JsonObject, owner: "order" | "cart"): string | undefined {
  const currency = lookUp(payload, `${owner}.currency`);
  const total = lookUp(payload, `${owner}.total`);
  if (typeof currency !== "string" || currency === "" || total === "") return undefined;
  // The sender's own text is kept as written: it may be rounded or grouped on purpose.
  if (typeof total === "string") return `${currency} ${total}`;
  if (typeof total === "bigint" || (typeof total === "number" && Number.isFinite(total))) return `${currency} ${amount(total, currency)}`;
  return undefined;
}

/** Intl rounds the number's decimal digits, where toFixed would round the double behind them (1.005 → 1.00). */
function amount(total: number | bigint, currency: string): string {
  const text = formatOf(currencyDecimals(currency)).format(total);
  return text.replace(/-(?=[0.]*$)/, "");
}

/** Making a format is slow, and there are no more of them than numbers of decimals. */
const formats = new Map<number, Intl.NumberFormat>();

function formatOf(decimals: number): Intl.NumberFormat {
  let format = formats.get(decimals);
  if (format === undefined) {
    format = new Intl.NumberFormat("en-US", { useGrouping: false, minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    formats.set(decimals, format);
  }
  return format;
}
