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
  const digits = currencyDecimals(currency);
  const format = new Intl.NumberFormat("en-US", { useGrouping: false, minimumFractionDigits: digits, maximumFractionDigits: digits });
  return format.format(total).replace(/^-(?=[0.]*$)/, "");
}
