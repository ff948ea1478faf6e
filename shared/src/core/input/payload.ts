import { z } from "zod";
import { parseJson } from "../json/parse.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";

/**
 * An event's payload: an object, or its JSON text, which also keeps integers that a double cannot hold. Handed on as it came: a schema of its members would
 * drop keys such as `__proto__`.
 */
export const payloadSchema = z.custom<JsonObject | string>().transform((input, context): JsonObject => {
  const value = typeof input === "string" ? parse(input) : input;
  if (isObject(value)) return value;
  context.addIssue("Must be a JSON object, or the text of one");
  return z.NEVER;
});

function parse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
