import type { JsonObject } from "../json/value.ts";
import { lookUp } from "../path.ts";
import { textOf } from "../varspec/text-of.ts";

/** How a payload names its order. An id and a number of the same text are two orders. */
export interface OrderReference {
  kind: "id" | "number";
  /** Any text as the sender wrote it, of any length: hash it before it becomes a key. */
  value: string;
}

/** `order.id`, else `order.number`; null when the payload names no order. */
export function orderReference(payload: JsonObject): OrderReference | null {
  const id = textOf(lookUp(payload, "order.id"));
  if (id !== undefined) return { kind: "id", value: id };
  const number = textOf(lookUp(payload, "order.number"));
  return number === undefined ? null : { kind: "number", value: number };
}
