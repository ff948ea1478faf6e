import type { JsonObject } from "../json/value.ts";
import { lookUp } from "../path.ts";
import { storableText } from "../text/storable-text.ts";
import { textOf } from "../varspec/text-of.ts";

/** What the order's row shows of the order, each null when the payload leaves it out. */
export interface OrderSummary {
  externalId: string | null;
  number: string | null;
  status: string | null;
  total: string | null;
  currency: string | null;
}

/** The order's fields as texts that PostgreSQL can store. */
export function orderSummary(payload: JsonObject): OrderSummary {
  const field = (path: string): string | null => {
    const text = textOf(lookUp(payload, path));
    return text === undefined ? null : storableText(text);
  };
  return {
    externalId: field("order.id"),
    number: field("order.number"),
    status: field("order.status"),
    total: field("order.total"),
    currency: field("order.currency"),
  };
}
