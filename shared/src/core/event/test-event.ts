import type { JsonObject } from "../json/value.ts";
import { lookUp } from "../path.ts";

/** Whether an event is one to try the set-up with, which only the site's test phone gets. `name` is the path's, in lower case. */
export function isTestEvent(name: string, payload: JsonObject): boolean {
  if (name === "test" || lookUp(payload, "test") === true) return true;
  const own = lookUp(payload, "event");
  return typeof own === "string" && own.toLowerCase() === "test";
}
