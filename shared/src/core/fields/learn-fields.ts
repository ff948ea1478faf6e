import type { JsonObject, JsonValue } from "../json/value.ts";
import { chooseKeys } from "./choose-keys.ts";
import { conventionalKeys } from "./conventional.ts";
import { type Field, MAX_FIELDS, typeOf, weightOf } from "./field.ts";
import { sampleOf } from "./sample.ts";

const MAX_DEPTH = 12;
const MAX_PATH = 256;
/** Elements of an array that are looked at together as `[]`… */
const MAX_ELEMENTS = 20;
/** …and those that are named by their index. */
const MAX_INDEXES = 3;

/** A place in the payload with what is there: one value, or, behind a `[]`, those of several elements. */
interface Place {
  path: string;
  depth: number;
  values: JsonValue[];
  /** Behind an array the path goes on in one way: any element of the next one too, or its elements by index too. */
  elements: "any" | "by index" | "both";
}

type KeyChoice = (path: string, objects: readonly JsonObject[]) => readonly string[];

/**
 * The fields of a payload, at most 500, none when it is no object: arrays both as `items[]` and by index. First what events hold by convention, then whatever there is, level by
 * level, so that what is near the top survives any amount of what is not. Takes any JSON; costs no stack.
 */
export function learnFields(payload: JsonValue): Field[] {
  if (!isObject(payload)) return [];
  const fields = new Map<string, Field>();
  collect(payload, conventionalKeys, fields);
  collect(payload, (path, objects) => [...new Set([...conventionalKeys(path), ...chooseKeys(objects)])], fields);
  return [...fields.values()];
}

function collect(payload: JsonObject, choose: KeyChoice, fields: Map<string, Field>): void {
  const places: Place[] = [{ path: "", depth: 0, values: [payload], elements: "both" }];
  // It grows while it is walked, by at most as many places as there are fields.
  for (const place of places) {
    for (const inner of within(place, choose)) {
      if (!fields.has(inner.path)) {
        if (fields.size === MAX_FIELDS) return;
        fields.set(inner.path, fieldOf(inner));
      }
      if (inner.depth < MAX_DEPTH && inner.values.some(isContainer)) places.push(inner);
    }
  }
}

/** The places one step further that hold something. */
function within(place: Place, choose: KeyChoice): Place[] {
  const { path, values } = place;
  const depth = place.depth + 1;
  const objects = values.filter(isObject);
  const members = choose(path, objects).map((key) => ({
    path: path === "" ? key : `${path}.${key}`,
    values: objects.filter((object) => Object.hasOwn(object, key)).map((object) => object[key] ?? null),
    elements: place.elements,
  }));
  return [...members, ...elementsOf(place)]
    .filter((inner) => inner.values.length > 0 && inner.path.length <= MAX_PATH)
    .map((inner) => ({ ...inner, depth }));
}

function elementsOf({ path, values, elements }: Place): Omit<Place, "depth">[] {
  const found = values.flatMap((value) => (Array.isArray(value) ? value.slice(0, MAX_ELEMENTS) : [])).slice(0, MAX_ELEMENTS);
  const any: Omit<Place, "depth"> = { path: `${path}[]`, values: found, elements: "any" };
  const byIndex = found
    .slice(0, MAX_INDEXES)
    .map((element, index): Omit<Place, "depth"> => ({ path: `${path}.${index}`, values: [element], elements: "by index" }));
  return [...(elements === "by index" ? [] : [any]), ...(elements === "any" ? [] : byIndex)];
}

/** Of several values the first that tells the most. */
function fieldOf({ path, values }: Place): Field {
  const fields = values.map((value) => ({ path, type: typeOf(value), sample: sampleOf(value) }));
  const most = Math.max(...fields.map(weightOf));
  return fields.find((field) => weightOf(field) === most) ?? { path, type: "null", sample: null };
}

const isContainer = (value: JsonValue): value is JsonObject | JsonValue[] => typeof value === "object" && value !== null;
const isObject = (value: JsonValue): value is JsonObject => isContainer(value) && !Array.isArray(value);
