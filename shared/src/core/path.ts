import { type JsonValue, printJson, printJsonStart } from "./json.ts";
import { remember } from "./text.ts";
import { rule } from "./wording.ts";

const indexPattern = /^(0|[1-9]\d{0,9})$/;

/**
 * The value at a dotted path (`order.items.0.name`), or undefined when the path leads nowhere.
 * Sees own keys only, so that `constructor` or `__proto__` finds nothing that the sender did not write; array elements by index.
 */
export const lookUp = (value: JsonValue, dottedPath: string): JsonValue | undefined => followKeys(value, keysOf(dottedPath));

/** The same as `lookUp`, for a path that is split already. */
export function followKeys(value: JsonValue, keys: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const key of keys) {
    if (typeof found !== "object" || found === null) return undefined;
    if (Array.isArray(found)) found = indexPattern.test(key) ? found[Number(key)] : undefined;
    else found = Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** The keys of a path: bindings and our own code use the same paths with every event, and cutting one costs more than following it. */
const keysOf = remember(5_000, (dottedPath: string): readonly string[] => dottedPath.split("."));

export const longestPath = 512;

/** The reason why `path` cannot be a dotted path, else null. */
export function pathProblem(path: string): string | null {
  if (path === "") return rule("must not be empty");
  if (path.length > longestPath) return rule("must be at most {most} characters long", { most: longestPath });
  if (/[\p{Cc}\p{Cs}]/u.test(path)) return rule("must not contain control characters");
  const keys = path.split(".");
  if (keys.some((key) => key.trim() === "")) return rule("must be keys joined by single dots, as in customer.first_name");
  if (keys.some((key) => key !== key.trim())) return rule("must not have spaces around its keys");
  if (/\[\d*\]/.test(path)) return rule("must name array elements by dots, as in order.items.0.name");
  return null;
}

/**
 * A payload's value as the text that goes into a slot: strings as they are, everything else as JSON. Undefined when it is missing: the path led nowhere,
 * to null or to the empty string, or to a number such as 1e999 that JSON could only print as null. A longer text is cut to `longest` characters and one
 * more.
 */
export function textOf(value: JsonValue | undefined, longest = Infinity): string | undefined {
  if (value == null || value === "") return undefined;
  if (typeof value === "number" && !Number.isFinite(value)) return undefined;
  const text = typeof value === "string" ? value : longest === Infinity ? printJson(value) : printJsonStart(value, longest + 1);
  return text.length > longest ? text.slice(0, longest + 1) : text;
}
