import { type Decimal, printDecimal, readDecimal } from "./decimal.ts";
import { type JsonObject, type JsonValue, followKeys, textOf } from "./json.ts";
import { memoize, storableText } from "./text.ts";

/** The most characters of an object or array, as JSON, that are compared. */
export const longestCompared = 16_384;

/** An event's value at a path, in the form that conditions and schedules compare. */
export interface ComparedValue {
  value: JsonValue | undefined;
  /** Undefined when the value is missing. For an object or array it holds as many characters as a value can equal. */
  text: string | undefined;
  /** The number of characters that rules have searched so far. */
  searched: number;
  /** The value as a number; absent until a rule asks for it. */
  decimal?: Decimal | null;
  key?: string;
}

/** Each place of an event is read once, however many rules and bindings ask for it. */
const placesOf = memoize((_payload: JsonObject) => new Map<string, ComparedValue>());

/** A function that reads the value at `path` from a payload; the path is parsed once. */
export function compileComparedAt(path: string): (payload: JsonObject) => ComparedValue {
  const keys = path.split(".");
  return (payload) => {
    const places = placesOf(payload);
    let seen = places.get(path);
    if (seen === undefined) places.set(path, (seen = look(followKeys(payload, keys))));
    return seen;
  };
}

const look = (value: JsonValue | undefined): ComparedValue => ({ value, text: comparedText(value), searched: 0 });

export const comparedText = (value: JsonValue | undefined) => textOf(value, typeof value === "object" ? longestCompared : Infinity);

export function decimalOf(seen: ComparedValue): Decimal | null {
  if (seen.decimal === undefined) seen.decimal = seen.text === undefined ? null : readDecimal(seen.text);
  return seen.decimal;
}

export const keyOf = (seen: ComparedValue): string => (seen.key ??= toKey(seen.text ?? ""));

/** Two texts are equal, as numbers when both are, if and only if their keys are the same. */
export function toKey(text: string): string {
  const decimal = readDecimal(text);
  return decimal === null ? text : printDecimal(decimal);
}

const longestStored = 200;

/**
 * The key of the value at the path, as it is stored beside a message that waits: equal keys mean equal values. Null for a value that equals nothing: a
 * missing one, and an object or array longer than any that is compared. The key of a long text, or of one that PostgreSQL cannot hold, is its beginning
 * and a hash.
 */
export function compileStoredKeyAt(path: string): (payload: JsonObject) => string | null {
  const at = compileComparedAt(path);
  return (payload) => {
    const seen = at(payload);
    if (seen.text === undefined || (typeof seen.value === "object" && seen.text.length > longestCompared)) return null;
    const key = keyOf(seen);
    const storable = storableText(key.slice(0, longestStored));
    return storable === key ? key : `${storable.padEnd(longestStored)}#${key.length}-${hash(key, 1)}${hash(key, 2)}`;
  };
}

/** 53 bits of a text, by multiplication and shifts; not for secrets. */
function hash(text: string, seed: number): string {
  let [a, b] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & b) + (a >>> 0)).toString(36).padStart(11, "0");
}
