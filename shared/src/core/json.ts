import { attempt, memoize, remember } from "./text.ts";
import { rule } from "./wording.ts";

/** A value of a JSON text. An integer that a double cannot hold exactly is a bigint, so that it prints digit for digit as it was written. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A longer integer is read as the text of its digits: no message can hold it, and computing with it takes a time that grows with its square. */
const mostDigits = 2_000;

/**
 * Like JSON.parse (any depth; `__proto__` is an ordinary key), but an integer beyond 2^53 becomes a bigint, one of more than 2,000 digits a text.
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return hasLongNumber(text) ? parseLossless(text) : value;
}

/** Like `parseJson`, but an integer beyond 2^53 is the text of its digits, and a number beyond all doubles, such as `1e400`, the text that was written. */
export function parseAsWritten(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return hasLongNumber(text) || /\de\+?\d{3}/i.test(text) ? parseLossless(text, true) : value;
}

/** More members, lists and objects than any text has that is read; reading them takes longer than reading as many characters of a text. */
export const mostJsonValues = 131_072;

/** How deep a JSON text nests, and how many members, lists and objects it has, without reading it. */
export function measureJson(text: string): { levels: number; values: number } {
  let [level, levels, values, inText] = [0, 0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inText && character === "\\") at += 1;
    else if (character === '"') inText = !inText;
    else if (inText) continue;
    else if (character === ":") values += 1;
    else if (character === "[" || character === "{") [level, values] = [level + 1, values + 1];
    else if (character === "]" || character === "}") level -= 1;
    if (level > levels) levels = level;
  }
  return { levels, values };
}

/** Whether the text may hold an integer beyond 2^53, which has sixteen digits; ids in quotes are none. A text that merely looks like one costs time alone. */
const hasLongNumber = (text: string): boolean => /(?:^|[ :,[\-\n\r\t])\d{16}/.test(text);

/** A mark that stands in a JSON text only as it is written here: control characters have to be escaped, and these in one way. */
const newMark = (): string => Array.from({ length: 8 }, () => `\\u001${Math.floor(Math.random() * 8)}`).join("");

/**
 * Parses a text that JSON.parse has accepted. Long integers are read as marked texts, and put in their places afterwards, so that JSON.parse alone decides all
 * else, at any depth.
 */
export function parseLossless(text: string, areTexts = false): JsonValue {
  let mark = newMark();
  while (text.includes(mark)) mark = newMark();
  let [marked, end] = ["", 0];
  const token = areTexts ? /"|[\d.eE+-]+/g : /"|[\d.eE+-]{16,}/g;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [number] = found;
    if (number === '"') token.lastIndex = endOfString(text, found.index + 1);
    const isLong = !Number.isSafeInteger(Number(number)) && /^-?\d+$/.test(number);
    if (!isLong && !(areTexts && Math.abs(Number(number)) === Infinity)) continue;
    marked += `${text.slice(end, found.index)}"${areTexts || number.length > mostDigits ? "" : mark}${number}"`;
    end = token.lastIndex;
  }
  const root = { value: JSON.parse(marked + text.slice(end)) as JsonValue };
  if (!areTexts) putIntegers(root, JSON.parse(`"${mark}"`) as string);
  return root.value;
}

/** The place behind the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

/** Puts integers in place of the marked texts. Iterative: nesting costs memory, never stack. */
function putIntegers(root: JsonObject, mark: string): void {
  const containers: (JsonObject | JsonValue[])[] = [root];
  // The list grows during the loop.
  for (const container of containers) {
    for (const key of Object.keys(container)) {
      const value = (container as JsonObject)[key];
      if (typeof value === "object" && value !== null) containers.push(value);
      else if (typeof value === "string" && value.startsWith(mark)) (container as JsonObject)[key] = BigInt(value.slice(mark.length));
    }
  }
}

/** The value as JSON, whatever the order of members; `keeps`: which values of members stay, by default all but null. */
export const canonical = (value: unknown, keeps = (member: unknown): boolean => member != null): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([, member]) => keeps(member))
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : inner,
  );

/** Compact JSON, equal to JSON.stringify wherever that works; also takes bigints (printed digit for digit) and any depth. Never throws. */
export const printJson = (value: JsonValue): string =>
  // What does not print holds a bigint, or is nested deeper than the stack.
  attempt(() => JSON.stringify(value), null) ?? printIteratively(value);

/** The first characters of `printJson`'s text, `length` of them or some more, or all if there are fewer. The rest of the value costs nothing. */
const printJsonStart = (value: JsonValue, length: number): string =>
  typeof value === "object" && value !== null ? printIteratively(value, length) : printJson(value);

/** A container that is being printed, and how many of its members are done. */
interface OpenPrint {
  value: JsonValue[] | JsonObject;
  /** Null for an array. */
  keys: string[] | null;
  done: number;
  isEmpty: boolean;
}

/** The printed text so far. */
interface Printed {
  parts: string[];
  /** The number of characters that are still wanted. */
  room: number;
}

function printIteratively(value: JsonValue, length = Infinity): string {
  const printed: Printed = { parts: [], room: length };
  const open: OpenPrint[] = [];
  start(value, printed, open);
  for (let last = open.at(-1); last !== undefined && printed.room > 0; last = open.at(-1)) {
    const { value: container, keys } = last;
    if (last.done === (keys ?? (container as JsonValue[])).length) {
      put(printed, keys === null ? "]" : "}");
      open.pop();
      continue;
    }
    const key = keys?.[last.done] ?? last.done;
    last.done += 1;
    const member = (container as Record<string | number, JsonValue | undefined>)[key];
    if (member === undefined && keys !== null) continue;
    if (!last.isEmpty) put(printed, ",");
    last.isEmpty = false;
    if (typeof key === "string") put(printed, `${printText(key, printed.room)}:`);
    start(member ?? null, printed, open);
  }
  return printed.parts.join("");
}

/** Prints a scalar; opens a container. */
function start(value: JsonValue, printed: Printed, open: OpenPrint[]): void {
  if (typeof value === "object" && value !== null) {
    const keys = Array.isArray(value) ? null : keysOf(value);
    put(printed, keys === null ? "[" : "{");
    open.push({ value, keys, done: 0, isEmpty: true });
  } else if (typeof value === "bigint") put(printed, value.toString());
  else put(printed, typeof value === "string" ? printText(value, printed.room) : JSON.stringify(value));
}

/** Keys are kept, since listing tens of thousands takes a while, and many paths may lead past the same object. */
const keysOf = memoize((object: JsonObject): string[] => Object.keys(object));

const printText = (text: string, room: number): string => JSON.stringify(text.length > room ? text.slice(0, room) : text);

function put(printed: Printed, text: string): void {
  printed.parts.push(text);
  printed.room -= text.length;
}

const indexPattern = /^(0|[1-9]\d{0,9})$/;

/**
 * The value at a dotted path (`order.items.0.name`), or undefined when the path leads nowhere.
 * Sees own keys only, so that `constructor` or `__proto__` finds nothing that the sender did not write; array elements by index.
 */
export const lookUp = (value: JsonValue, dottedPath: string): JsonValue | undefined => followKeys(value, pathKeys(dottedPath));

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
const pathKeys = remember(5_000, (dottedPath: string): readonly string[] => dottedPath.split("."));

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
