import type { JsonObject, JsonValue } from "../json/value.ts";
import { pathProblem } from "../path.ts";
import { isDataKey, isPlainWord } from "./data-key.ts";
import { typeOf } from "./field.ts";

/** More members than this is no record with named fields but a list with keys. */
const MAX_KEYS = 300;
/** …of which members that look alike are data too, when there are more of them than this… */
const MAX_ALIKE = 50;
/** …and a few of them show what it is. */
const EXAMPLES = 3;

/** The keys of objects at one path that are names of fields and can stand in a path, in their order; keys that are data are left out. */
export function chooseKeys(objects: readonly JsonObject[]): string[] {
  const firstValues = new Map<string, JsonValue>();
  let numbers = 0;
  for (const object of objects) {
    for (const key of Object.keys(object)) {
      if (firstValues.has(key) || !isNameable(key)) continue;
      // As with arrays, of which the first elements stand for all: PHP writes them so when a number is missing.
      if (/^\d+$/.test(key) && (numbers += 1) > EXAMPLES) continue;
      firstValues.set(key, object[key] ?? null);
    }
  }
  return firstValues.size <= MAX_KEYS ? [...firstValues.keys()] : chooseFromMany(firstValues);
}

const isNameable = (key: string): boolean => isPlainWord(key) || (!isDataKey(key) && !key.includes(".") && pathProblem(key) === null);

/** What stands out comes first: the one `invoice` among 40,000 numbers. */
function chooseFromMany(values: ReadonlyMap<string, JsonValue>): string[] {
  const groups = new Map<string, string[]>();
  for (const [key, value] of values) {
    const look = `${shapeOf(key)} ${lookOf(value)}`;
    const group = groups.get(look);
    if (group === undefined) groups.set(look, [key]);
    else group.push(key);
  }
  return [...groups.values()]
    .toSorted((a, b) => a.length - b.length)
    .flatMap((group) => (group.length > MAX_ALIKE ? group.slice(0, EXAMPLES) : group))
    .slice(0, MAX_KEYS);
}

/** `line_12` and `row_7` are alike, and so are `a1f` and `77`. */
const shapeOf = (key: string): string => key.replaceAll(/[\p{L}\d]*\d[\p{L}\d]*|\p{L}+/gu, (word) => (/\d/.test(word) ? "9" : "a"));

function lookOf(value: JsonValue): string {
  const type = typeOf(value);
  if (type !== "object") return type;
  const members = Object.entries(value as JsonObject).slice(0, 8);
  return [...new Set(members.map(([key, member]) => `${shapeOf(key)}:${typeOf(member)}`))].toSorted().join();
}
