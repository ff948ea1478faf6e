import { parseLossless } from "./parse-lossless.ts";
import type { JsonValue } from "./value.ts";

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
