import type { JsonValue } from "../json/value.ts";

export type FieldType = "string" | "number" | "boolean" | "null" | "object" | "array";

/** What one payload holds at a path. `order.items[].name` stands for the name of any item, `order.items.0.name` for the first one's. */
export interface Field {
  path: string;
  type: FieldType;
  /** What a slot would show of the value, cut short; null when there is nothing to show: null, an empty text, an object or array. */
  sample: string | null;
}

/** The most fields that are kept of one kind of event. */
export const MAX_FIELDS = 500;

export function typeOf(value: JsonValue): FieldType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "bigint":
    case "number":
      return "number";
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    default:
      return "object";
  }
}

/** How much a value tells: nothing (null), only its type (an empty text), all of it. What tells more is kept over what tells less. */
export function weightOf({ type, sample }: Pick<Field, "type" | "sample">): 0 | 1 | 2 {
  if (type === "null") return 0;
  return sample !== null || type === "object" || type === "array" ? 2 : 1;
}
