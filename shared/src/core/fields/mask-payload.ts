import { parseJson } from "../json/parse.ts";
import { printJson } from "../json/print.ts";
import type { JsonValue } from "../json/value.ts";
import { maskPhonesIn } from "../mask-phone.ts";
import { typeOf } from "./field.ts";
import { MASK, maskSample } from "./mask-sample.ts";

/** What lies deeper is masked whole. */
const MAX_DEPTH = 64;

/** A payload for somebody who may not see personal data: the same JSON, with every value masked that path or shape say may be a person's. */
export const maskPayload = (payload: string): string => printJson(maskAt("", parseJson(payload), 0));

function maskAt(path: string, value: JsonValue, depth: number): JsonValue {
  if (typeof value !== "object" || value === null) return maskLeaf(path, value);
  if (depth === MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((element) => maskAt(`${path}[]`, element, depth + 1));
  const members = Object.entries(value).map(([key, inner]) => [
    maskPhonesIn(key),
    maskAt(path === "" ? key : `${path}.${key}`, inner, depth + 1),
  ]);
  return Object.fromEntries(members) as JsonValue;
}

function maskLeaf(path: string, value: JsonValue): JsonValue {
  if (value === null || value === "" || typeof value === "object") return value;
  return maskSample({ path, type: typeOf(value), sample: String(value) }).sample === MASK ? MASK : value;
}
