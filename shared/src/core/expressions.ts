import { type JsonObject, type JsonValue, lookUp, textOf } from "./json.ts";
import { memoize, remember } from "./text.ts";
import { localTime } from "./time-zone.ts";
import type { ExpressionName, VarSpec } from "./variables.ts";

/** Twice the longest value of a slot. A longer value is read to this many characters and one more, which shows that it is longer; it is never sent. */
export const longestValue = 4_096;

/** The things that a value may be made of. */
export interface EvaluationContext {
  payload: JsonObject;
  now: Date;
  /** IANA name of the account's time zone. */
  timezone: string;
}

/**
 * The text that `spec` puts into its slot, not yet cleaned for sending; undefined when it is missing. A fallback stands in for a missing value only. A
 * text longer than `longestValue` is cut to one character more, and must not be sent. Never throws, whatever the payload holds.
 */
export function evaluate(spec: VarSpec, context: EvaluationContext): string | undefined {
  if (spec.source === "static") return cut(spec.value === "" ? undefined : spec.value);
  const value = spec.source === "field" ? fieldText(context.payload, spec.path) : cut(helpers[spec.expr](context));
  return value ?? cut(spec.fallback === "" ? undefined : spec.fallback);
}

const cut = (text: string | undefined): string | undefined => text?.slice(0, longestValue + 1);

/** The text of a field. Scalars are cheap to print again; an object is printed once for each event, however many slots name it. */
function fieldText(payload: JsonObject, path: string): string | undefined {
  const value = lookUp(payload, path);
  return typeof value === "object" && value !== null ? printed(value) : textOf(value, longestValue);
}

const printed = memoize((value: JsonObject | JsonValue[]) => textOf(value, longestValue));

const helpers: Readonly<Record<ExpressionName, (context: EvaluationContext) => string | undefined>> = {
  "customer.full_name": ({ payload }) => fullName(payload),
  "items.summary_short": ({ payload }) => itemSummary(payload),
  "items.summary_lines": ({ payload }) => itemLines(payload),
  "total.with_currency": ({ payload }) => totalOf(payload, "order") ?? totalOf(payload, "cart"),
  "date.today": ({ now, timezone }) => localDate(now, timezone),
  "date.now": ({ now, timezone }) => localMinute(now, timezone),
};

const valueAt = (value: JsonValue, path: string): string | undefined => textOf(lookUp(value, path), longestValue);

/** First and last name, or the one that is there, else the full name that the payload itself gives; undefined without any of them. */
export function fullName(payload: JsonObject): string | undefined {
  const part = (key: string): string | undefined => valueAt(payload, `customer.${key}`);
  const names = [part("first_name"), part("last_name")].filter((name) => name !== undefined);
  return names.length > 0 ? names.join(" ") : part("full_name");
}

interface Item {
  name: string;
  qty: string | undefined;
  price: string | undefined;
}

/** `Mug x 2, Tea x 1`; undefined when the payload lists nothing that has a name. */
const itemSummary = memoize((payload: JsonObject) => joinItems(payload, ", ", nameAndQuantity));

/** The items, one a line: `Mug x 2 - 9.90`. Undefined when the payload lists nothing that has a name. */
const itemLines = memoize((payload: JsonObject) =>
  joinItems(payload, "\n", (item) => (item.price === undefined ? nameAndQuantity(item) : `${nameAndQuantity(item)} - ${item.price}`)),
);

/** The order's items, else the cart's. An entry without a name is left out; without quantity or price it goes without that part. */
const joinItems = (payload: JsonObject, separator: string, print: (item: Item) => string): string | undefined =>
  joinList(lookUp(payload, "order.items"), separator, print) ?? joinList(lookUp(payload, "cart.items"), separator, print);

function joinList(list: JsonValue | undefined, separator: string, print: (item: Item) => string): string | undefined {
  let text: string | undefined;
  for (const entry of Array.isArray(list) ? list : []) {
    const item = itemOf(entry);
    if (item !== null) text = text === undefined ? print(item) : `${text}${separator}${print(item)}`;
    if (text !== undefined && text.length > longestValue) break;
  }
  return text;
}

function itemOf(entry: JsonValue): Item | null {
  const name = valueAt(entry, "name");
  return name === undefined ? null : { name, qty: valueAt(entry, "qty"), price: valueAt(entry, "price") };
}

const nameAndQuantity = (item: Item): string => (item.qty === undefined ? item.name : `${item.name} x ${item.qty}`);

/** `YYYY-MM-DD` in the time zone (IANA name; UTC when there is no such zone). */
function localDate(at: Date, timezone: string): string {
  const { year, month, day } = localTime(at, timezone);
  return `${digits(year, 4)}-${digits(month)}-${digits(day)}`;
}

/** `YYYY-MM-DD HH:mm`, 00:00 to 23:59. */
function localMinute(at: Date, timezone: string): string {
  const { hour, minute } = localTime(at, timezone);
  return `${localDate(at, timezone)} ${digits(hour)}:${digits(minute)}`;
}

const digits = (value: number, length = 2): string => String(value).padStart(length, "0");

/** `USD 49.90`, of the order or of the cart; undefined unless it gives both a currency and an amount, because one without the other says nothing. */
function totalOf(payload: JsonObject, owner: "order" | "cart"): string | undefined {
  const currency = lookUp(payload, `${owner}.currency`);
  const total = lookUp(payload, `${owner}.total`);
  if (typeof currency !== "string" || currency === "" || total === "") return undefined;
  // The sender's own text stays as written: it may be rounded or grouped on purpose.
  if (typeof total === "string") return `${currency.slice(0, longestValue)} ${total.slice(0, longestValue)}`;
  if (typeof total === "bigint" || (typeof total === "number" && Number.isFinite(total)))
    return `${currency.slice(0, longestValue)} ${amount(total, currency.slice(0, 4))}`;
  return undefined;
}

/** Intl rounds the number's decimal digits, where toFixed would round the double behind them (1.005 → 1.00). */
function amount(total: number | bigint, currency: string): string {
  const text = amountFormat(currencyDecimals(currency)).format(total);
  return text.replace(/-(?=[0.]*$)/, "");
}

/** Formats are kept, since making one is slow; there are no more of them than numbers of decimals. */
const amountFormat = remember(
  100,
  (decimals: number) =>
    new Intl.NumberFormat("en-US", { useGrouping: false, minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
);

const usual = 2;

/** The currencies whose minor unit is not a hundredth (ISO 4217). A table of our own: the runtime's rounds some as cash is rounded. */
export const otherDecimals = new Map<string, number>([
  ...["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"].map(
    (code) => [code, 0] as const,
  ),
  ...["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"].map((code) => [code, 3] as const),
  ...["CLF", "UYW"].map((code) => [code, 4] as const),
]);

/** How many decimals amounts of a currency usually have (JPY 0, USD 2, KWD 3); two for a text that is no currency code. */
export const currencyDecimals = (code: string): number => otherDecimals.get(code.toUpperCase()) ?? usual;
