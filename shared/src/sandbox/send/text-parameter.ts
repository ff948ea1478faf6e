import { invalidParameter, refusal } from "../errors/graph-error.ts";
import { isObject } from "../http/read-json.ts";
import type { ParameterInput } from "./component-input.ts";

/** The text that a text, currency or date parameter shows. Throws the platform's refusal (platform facts, 1.3 and 3.4). */
export function textOf(parameter: ParameterInput, part: string): string {
  const text = rawText(parameter, part);
  if (text === "") throw refusal(131008, "Parameter of type text is missing text value");
  if (/[\n\r\t]| {5}/.test(text)) {
    throw refusal(132018, "Param text cannot have new-line/tab characters or more than 4 consecutive spaces");
  }
  return text;
}

function rawText({ type, fields, path }: ParameterInput, part: string): string {
  switch (type) {
    case "TEXT":
      return readString(fields["text"] ?? "", `${path}['text']`);
    case "CURRENCY":
      return fallbackOf(fields["currency"], `${path}['currency']`);
    case "DATE_TIME":
      return fallbackOf(fields["date_time"], `${path}['date_time']`);
    default:
      throw refusal(132012, `${part}: Format mismatch, expected TEXT, received ${type}`);
  }
}

function fallbackOf(value: unknown, path: string): string {
  return readString(isObject(value) ? (value["fallback_value"] ?? "") : "", `${path}['fallback_value']`);
}

function readString(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalidParameter(`Param ${path} must be a string.`);
  return value;
}
