import type { JsonObject } from "../json/value.ts";
import { lookUp } from "../path.ts";
import { textOf } from "./text-of.ts";

/** First and last name, or the one that is there, else the full name that the payload itself gives; undefined without any of them. */
export function fullName(payload: JsonObject): string | undefined {
  const part = (key: string): string | undefined => textOf(lookUp(payload, `customer.${key}`));
  const names = [part("first_name"), part("last_name")].filter((name) => name !== undefined);
  return names.length > 0 ? names.join(" ") : part("full_name");
}
