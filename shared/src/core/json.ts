/** What a JSON text holds. An integer that a double cannot hold exactly is a bigint, so that it prints digit for digit as it was written. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** Fewer digits always fit a double: 2^53 has sixteen. */
const LONG_NUMBER = /\d{16}/;

/**
 * Like JSON.parse (any depth; `__proto__` is an ordinary key), but an integer beyond 2^53 becomes a bigint.
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return LONG_NUMBER.test(text) ? parseLossless(text) : value;
}

interface Source {
  text: string;
  at: number;
}

/** A container whose end has not been read yet; `key` is where an object's next value goes. */
type OpenValue = { value: JsonValue[]; key: null } | { value: JsonObject; key: string };

/** Parses a text that JSON.parse has accepted, so it checks nothing. Iterative: nesting costs memory, never stack. */
export function parseLossless(text: string): JsonValue {
  const source: Source = { text, at: 0 };
  const open: OpenValue[] = [];
  for (;;) {
    let value = readValue(source, open);
    while (value !== undefined) {
      const parent = open.at(-1);
      if (parent === undefined) return value;
      put(parent, value);
      if (next(source) === ",") {
        if (parent.key !== null) parent.key = readKey(source);
        break;
      }
      open.pop();
      value = parent.value;
    }
  }
}

/** One value from its start; undefined when that was the start of a container that holds something, which is then the last of `open`. */
function readValue(source: Source, open: OpenValue[]): JsonValue | undefined {
  const first = next(source);
  switch (first) {
    case "{":
      if (skipIf(source, "}")) return {};
      open.push({ value: {}, key: readKey(source) });
      return undefined;
    case "[":
      if (skipIf(source, "]")) return [];
      open.push({ value: [], key: null });
      return undefined;
    case '"':
      return readString(source);
    case "t":
      return readWord(source, "true", true);
    case "f":
      return readWord(source, "false", false);
    case "n":
      return readWord(source, "null", null);
    default:
      return readNumber(source);
  }
}

/** As JSON.parse does it: the last of equal keys wins, in the place of the first. */
function put(parent: OpenValue, value: JsonValue): void {
  if (parent.key === null) parent.value.push(value);
  else if (parent.key !== "__proto__") parent.value[parent.key] = value;
  else Object.defineProperty(parent.value, parent.key, { value, writable: true, enumerable: true, configurable: true });
}

function readKey(source: Source): string {
  next(source);
  const key = readString(source);
  next(source);
  return key;
}

/** From behind the opening quote. */
function readString(source: Source): string {
  const start = source.at;
  let end = source.text.indexOf('"', start);
  while (isEscaped(source.text, end)) end = source.text.indexOf('"', end + 1);
  source.at = end + 1;
  const inner = source.text.slice(start, end);
  return inner.includes("\\") ? (JSON.parse(`"${inner}"`) as string) : inner;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

/** From behind the first character. */
function readNumber(source: Source): number | bigint {
  const start = source.at - 1;
  while ("0123456789+-.eE".includes(source.text[source.at] ?? "end")) source.at++;
  const digits = source.text.slice(start, source.at);
  const number = Number(digits);
  return /^-?\d+$/.test(digits) && !Number.isSafeInteger(number) ? BigInt(digits) : number;
}

function readWord<T>(source: Source, word: string, value: T): T {
  source.at += word.length - 1;
  return value;
}

function skipIf(source: Source, character: string): boolean {
  skipSpace(source);
  if (source.text[source.at] !== character) return false;
  source.at++;
  return true;
}

/** The next character that is not white space, left behind. */
function next(source: Source): string | undefined {
  skipSpace(source);
  return source.text[source.at++];
}

function skipSpace(source: Source): void {
  while (" \t\n\r".includes(source.text[source.at] ?? "end")) source.at++;
}

/** Compact JSON, equal to JSON.stringify wherever that works; also takes bigints (printed digit for digit) and any depth. Never throws. */
export function printJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint or a nesting deeper than the stack.
    return printIteratively(value);
  }
}

/** A container that is being printed: its members, and how many of them are done. */
interface OpenPrint {
  members: JsonValue[];
  keys: string[] | null;
  done: number;
}

function printIteratively(value: JsonValue): string {
  const parts: string[] = [];
  const open: OpenPrint[] = [];
  start(value, parts, open);
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    if (last.done === last.members.length) {
      parts.push(last.keys === null ? "]" : "}");
      open.pop();
      continue;
    }
    if (last.done > 0) parts.push(",");
    const key = last.keys?.[last.done];
    if (key !== undefined) parts.push(JSON.stringify(key), ":");
    start(last.members[last.done++] ?? null, parts, open);
  }
  return parts.join("");
}

/** Prints a scalar; opens a container. */
function start(value: JsonValue, parts: string[], open: OpenPrint[]): void {
  if (typeof value === "bigint") parts.push(value.toString());
  else if (typeof value !== "object" || value === null) parts.push(JSON.stringify(value));
  else if (Array.isArray(value)) {
    parts.push("[");
    open.push({ members: value, keys: null, done: 0 });
  } else {
    parts.push("{");
    open.push({ ...membersOf(value), done: 0 });
  }
}

function membersOf(object: JsonObject): { keys: string[]; members: JsonValue[] } {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  return { keys, members: keys.map((key) => object[key] ?? null) };
}
