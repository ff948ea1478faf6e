import { invalidParameter } from "../errors/graph-error.ts";
import type { SandboxRequest } from "./answer.ts";

const MAX_BYTES = 1024 * 1024;

export type JsonObject = Record<string, unknown>;

/** The body as a JSON object; an empty body is an empty one. Throws a `GraphError` for anything else. */
export async function readJson(request: SandboxRequest): Promise<JsonObject> {
  const text = (await request.readBody(MAX_BYTES)).toString("utf8");
  if (text.trim() === "") return {};
  const value = parse(text);
  if (!isObject(value)) throw invalidParameter("The request body must be a JSON object");
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidParameter("The request body is not valid JSON");
  }
}
