import { type JsonObject, type JsonValue, isJsonObject, pathProblem, textOf } from "../json.ts";
import { plusSigns } from "../phone-in-text.ts";
import { anyDigits } from "../phone.ts";
import { storableText } from "../text.ts";

const maxDepth = 12;
const maxPath = 256;
/** Elements of an array that are looked at together as `[]`, and those that are named by their index. */
const maxElements = 20;
const maxIndexes = 3;

/** A place in the payload with its values: one, or, behind a `[]`, those of several elements. */
interface Place {
  path: string;
  depth: number;
  values: JsonValue[];
  /** Behind an array the path goes on in one way: any element of the next one too, or its elements by index too. */
  elements: "any" | "by index" | "both";
}

type KeyChoice = (path: string, objects: readonly JsonObject[]) => readonly string[];

/**
 * The fields of a payload, at most 500, none when it is no object: arrays both as `items[]` and by index. First the conventional fields, then all others,
 * level by level, so that fields near the top survive any number of deeper ones. Takes any JSON; costs no stack.
 */
export function learnFields(payload: JsonValue): Field[] {
  if (!isJsonObject(payload)) return [];
  const fields = new Map<string, Field>();
  collect(payload, conventionalKeys, fields);
  collect(payload, (path, objects) => [...new Set([...conventionalKeys(path), ...chooseKeys(objects)])], fields);
  return [...fields.values()];
}

function collect(payload: JsonObject, choose: KeyChoice, fields: Map<string, Field>): void {
  const places: Place[] = [{ path: "", depth: 0, values: [payload], elements: "both" }];
  // The list grows during the loop, by at most as many places as there are fields.
  for (const place of places) {
    for (const inner of within(place, choose)) {
      if (!fields.has(inner.path)) {
        if (fields.size === maxFields) return;
        fields.set(inner.path, fieldOf(inner));
      }
      if (inner.depth < maxDepth && inner.values.some(isContainer)) places.push(inner);
    }
  }
}

/** The places one step further that hold something. */
function within(place: Place, choose: KeyChoice): Place[] {
  const { path, values } = place;
  const depth = place.depth + 1;
  const objects = values.filter(isJsonObject);
  const members = choose(path, objects).map((key) => ({
    path: path === "" ? key : `${path}.${key}`,
    values: objects.filter((object) => Object.hasOwn(object, key)).map((object) => object[key] ?? null),
    elements: place.elements,
  }));
  return [...members, ...elementsOf(place)]
    .filter((inner) => inner.values.length > 0 && inner.path.length <= maxPath)
    .map((inner) => ({ ...inner, depth }));
}

function elementsOf({ path, values, elements }: Place): Omit<Place, "depth">[] {
  const found = values.flatMap((value) => (Array.isArray(value) ? value.slice(0, maxElements) : [])).slice(0, maxElements);
  const any: Omit<Place, "depth"> = { path: `${path}[]`, values: found, elements: "any" };
  const byIndex = found
    .slice(0, maxIndexes)
    .map((element, index): Omit<Place, "depth"> => ({ path: `${path}.${index}`, values: [element], elements: "by index" }));
  return [...(elements === "by index" ? [] : [any]), ...(elements === "any" ? [] : byIndex)];
}

/** The field by the first of the values that tells the most. */
function fieldOf({ path, values }: Place): Field {
  const fields = values.map((value) => ({ path, type: typeOf(value), sample: sampleOf(value) }));
  const most = Math.max(...fields.map(weightOf));
  return fields.find((field) => weightOf(field) === most) ?? { path, type: "null", sample: null };
}

const isContainer = (value: JsonValue): value is JsonObject | JsonValue[] => typeof value === "object" && value !== null;

/**
 * An object with more members than this is no record with named fields but a list with keys. Members that look alike are data too, if there are more of
 * them than `maxAlike`; `examples` of them stay, to show what they are.
 */
const maxKeys = 300;
const maxAlike = 50;
const examples = 3;

/** The keys of objects at one path that name fields and can stand in a path, in their order; keys that are data are left out. */
export function chooseKeys(objects: readonly JsonObject[]): string[] {
  const firstValues = new Map<string, JsonValue>();
  let numbers = 0;
  for (const object of objects) {
    for (const key of someOf(Object.keys(object))) {
      if (firstValues.has(key) || !isNameable(key)) continue;
      // Numbered keys count as an array, whose first elements stand for all: PHP writes an array so when a number is missing.
      if (/^\d+$/.test(key) && (numbers += 1) > examples) continue;
      firstValues.set(key, object[key] ?? null);
    }
  }
  return firstValues.size <= maxKeys ? [...firstValues.keys()] : chooseFromMany(firstValues);
}

/** More members are looked at from both ends: they are a list with keys, and a name stands before or behind it. */
const mostLookedAt = 12_000;
const someOf = (keys: readonly string[]): readonly string[] =>
  keys.length <= mostLookedAt ? keys : [...keys.slice(0, mostLookedAt / 2), ...keys.slice(-mostLookedAt / 2)];

const isNameable = (key: string): boolean => isPlainWord(key) || (!isDataKey(key) && !key.includes(".") && pathProblem(key) === null);

/** Rare keys come first, such as the one `invoice` among 40,000 numbers. */
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
    .flatMap((group) => (group.length > maxAlike ? group.slice(0, examples) : group))
    .slice(0, maxKeys);
}

/** The form of a key: `line_12` and `row_7` have the same one, and so have `a1f` and `77`. */
const shapeOf = (key: string): string => key.replaceAll(/[\p{L}\d]*\d[\p{L}\d]*|\p{L}+/gu, (word) => (/\d/.test(word) ? "9" : "a"));

function lookOf(value: JsonValue): string {
  const type = typeOf(value);
  if (type !== "object") return type;
  const members = Object.entries(value as JsonObject).slice(0, 8);
  return [...new Set(members.map(([key, member]) => `${shapeOf(key)}:${typeOf(member)}`))].toSorted().join();
}

const data = [
  /^[^\s@]+@[^\s@]+$/, // an address
  new RegExp(String.raw`^[${plusSigns}]?\d[^\p{L}]{4,}$`, "u"), // a long number, a phone
  /^\d{4}-\d{2}(-\d{2})?\b/, // a date
  /^[0-9a-f]{8}-[0-9a-f]{4}-/i, // a UUID
  /^(?=(.*\d){2})[0-9a-f]{10,}$/i, // a digest
  /(?<![a-z\d])(?=[a-z]*\d[a-z]*\d[a-z]*\d)[a-z\d]{14,}/i, // a random id, such as cus_9s6XKzkNRiz8i3
];

const maxLength = 64;

/** Whether the key is surely a name: a short word of letters, `_` and `-`. */
export const isPlainWord = (key: string): boolean => /^[a-z][a-z_-]{0,31}$/i.test(key);

/** Whether the key is itself data (an id, an address, a date) and therefore means nothing in the next event. */
export function isDataKey(key: string): boolean {
  if (key.length > maxLength) return true;
  const text = anyDigits(key);
  return data.some((pattern) => pattern.test(text));
}

export type FieldType = "string" | "number" | "boolean" | "null" | "object" | "array";

/** A payload's value at a path. `order.items[].name` stands for the name of any item, `order.items.0.name` for the first one's. */
export interface Field {
  path: string;
  type: FieldType;
  /** The beginning of the value's text in a slot; null when there is nothing to show: null, an empty text, an object or array. */
  sample: string | null;
  /** The path without what is a person's by the event's own values, such as their name as a key; absent where that is the path itself. */
  hidden?: string;
}

/** The most fields that are kept of one kind of event. */
export const maxFields = 500;

export function typeOf(value: JsonValue): FieldType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint" || typeof value === "number") return "number";
  if (typeof value === "string") return "string";
  return typeof value === "boolean" ? "boolean" : "object";
}

/** How much a value tells: 0 nothing (null), 1 only its type (an empty text), 2 all of it. A value that tells more replaces one that tells less. */
export function weightOf({ type, sample }: Pick<Field, "type" | "sample">): 0 | 1 | 2 {
  if (type === "null") return 0;
  return sample !== null || type === "object" || type === "array" ? 2 : 1;
}

/** The paths that events have by convention in the documentation, and that bindings use most: they are kept before all others. */
const paths = [
  "event",
  "test",
  "site.name",
  "site.url",
  "data",
  ...["first_name", "last_name", "full_name", "email", "phone_e164"].map((key) => `customer.${key}`),
  ...["id", "number", "status", "total", "currency", "items_count"].map((key) => `order.${key}`),
  ...["order_url_customer", "tracking_number", "tracking_carrier"].map((key) => `order.${key}`),
  ...["id", "total", "currency", "items_count", "recovery_url"].map((key) => `cart.${key}`),
  ...["name", "qty", "price"].flatMap((key) => [`order.items[].${key}`, `cart.items[].${key}`]),
];

const roots = new Set(paths.map((path) => path.split(".")[0]));

/** Every conventional path and the paths that lead to it, with the keys that follow by convention. The payload itself is "". */
const keysByPath = new Map<string, Set<string>>();
for (const path of paths) {
  let parent = "";
  for (const key of path.split(".")) {
    const name = key.replace("[]", "");
    keysByPath.set(parent, (keysByPath.get(parent) ?? new Set()).add(name));
    parent = parent === "" ? name : `${parent}.${name}`;
    if (!keysByPath.has(parent)) keysByPath.set(parent, new Set());
    if (key !== name) parent += "[]";
  }
}

/** The keys that an object at the path has by convention. */
export const conventionalKeys = (path: string): readonly string[] => [...(keysByPath.get(folded(path)) ?? [])];

/** 2: a conventional path or one that leads to it; 1: another below a conventional beginning, such as `customer.locale`; 0: any other. */
export function conventionOf(path: string): 0 | 1 | 2 {
  const all = folded(path);
  if (keysByPath.has(all.endsWith("[]") ? all.slice(0, -2) : all)) return 2;
  return roots.has(all.split(".")[0]?.replaceAll("[]", "") ?? "") ? 1 : 0;
}

/** The path in which the index of an array's element stands for any element. */
const folded = (path: string): string => path.replace(/\.\d+(?=\.|$)/g, "[]");

const maxCharacters = 80;

/** The first 80 characters of the value's text in a slot; null if it has none, or is an object or array. */
function sampleOf(value: JsonValue): string | null {
  if (typeof value === "object") return null;
  const text = textOf(value);
  // A character is at most two units long, so this many units hold 80 whole ones; the last one of a cut by units could be half.
  return text === undefined
    ? null
    : storableText(
        Array.from(text.slice(0, 2 * maxCharacters))
          .slice(0, maxCharacters)
          .join(""),
      );
}
