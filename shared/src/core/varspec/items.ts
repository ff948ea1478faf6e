import type { JsonObject, JsonValue } from "../json/value.ts";
import { lookUp } from "../path.ts";
import { textOf } from "./text-of.ts";

interface Item {
  name: string;
  qty: string | undefined;
  price: string | undefined;
}

/** `Mug x 2, Tea x 1`; undefined when the payload lists nothing that has a name. */
export const itemSummary = (payload: JsonObject): string | undefined => joined(itemsOf(payload).map(nameAndQuantity), ", ");

/** One item a line, `Mug x 2 - 9.90`; undefined as above. */
export const itemLines = (payload: JsonObject): string | undefined =>
  joined(
    itemsOf(payload).map((item) => (item.price === undefined ? nameAndQuantity(item) : `${nameAndQuantity(item)} - ${item.price}`)),
    "\n",
  );

/** The order's items, else the cart's. An entry without a name is left out; without quantity or price it goes without that part. */
function itemsOf(payload: JsonObject): Item[] {
  const named = (path: string): Item[] => {
    const list = lookUp(payload, path);
    return Array.isArray(list) ? list.map(itemOf).filter((item) => item !== null) : [];
  };
  const ordered = named("order.items");
  return ordered.length > 0 ? ordered : named("cart.items");
}

function itemOf(entry: JsonValue): Item | null {
  const name = textOf(lookUp(entry, "name"));
  return name === undefined ? null : { name, qty: textOf(lookUp(entry, "qty")), price: textOf(lookUp(entry, "price")) };
}

const nameAndQuantity = (item: Item): string => (item.qty === undefined ? item.name : `${item.name} x ${item.qty}`);

const joined = (parts: string[], separator: string): string | undefined => (parts.length === 0 ? undefined : parts.join(separator));
