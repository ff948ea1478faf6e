import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { z } from "zod";
import type { SandboxContext } from "./context.ts";
import { ControlError, invalidParameter } from "./graph-error.ts";

/** A request in the form for handlers, the same in every version. */
export interface SandboxRequest {
  method: string;
  /** Without the version segment. */
  path: string;
  /** Major version of the path, null when it named none. */
  version: number | null;
  /** The named segments of the path, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Scheme and host of the request, for links. */
  origin: string;
  /** Throws a `GraphError` beyond `limit` bytes. */
  readBody(limit: number): Promise<Buffer>;
}

export type Answer = JsonAnswer | HtmlAnswer | "reset";

export interface JsonAnswer {
  status?: number;
  json: unknown;
  headers?: Record<string, string>;
}

/** An answer of the platform's edge in place of its API. */
export interface HtmlAnswer {
  status: number;
  html: string;
}

export type Handler = (context: SandboxContext, request: SandboxRequest) => Answer | Promise<Answer>;

const maxControlBytes = 64 * 1024;

/** Reads the body of one of the sandbox's own calls. Throws a `ControlError` that names every invalid member. */
export async function readControl<T>(request: SandboxRequest, schema: z.ZodType<T>): Promise<T> {
  const text = (await request.readBody(maxControlBytes)).toString("utf8");
  const result = schema.safeParse(text === "" ? {} : parseJson(text, () => new ControlError(400, "The body is not valid JSON")));
  if (result.success) return result.data;
  throw new ControlError(400, result.error.issues.map((issue) => `${issue.path.join(".") || "body"}: ${issue.message}`).join("; "));
}

export type Route = readonly [method: string, pattern: string, handler: Handler];

/** This much of a body that is too large is read and dropped, so that its sender sees the refusal. */
const maxDroppedBytes = 16 * 1024 * 1024;

/** Reads the whole body. Throws a `GraphError` beyond `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else if (size > limit + maxDroppedBytes) break;
  }
  if (size > limit) throw invalidParameter(`The request body is larger than ${limit} bytes`);
  return Buffer.concat(chunks);
}

const maxJsonBytes = 1024 * 1024;

export type JsonObject = Record<string, unknown>;

/**
 * Reads a call's parameters: a JSON object or a form in the body, and what the query has besides. An empty body is `{}`. Throws a `GraphError` for
 * anything else.
 */
export async function readJson(request: SandboxRequest): Promise<JsonObject> {
  const text = (await request.readBody(maxJsonBytes)).toString("utf8");
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? "");
  const value = isForm ? readForm(new URLSearchParams(text)) : text.trim() === "" ? {} : parseJson(text);
  if (!isObject(value)) throw invalidParameter("The request body must be a JSON object");
  return { ...readForm(request.query), ...value };
}

/** Parameters that say who calls, or how to answer. */
const callParameters = ["access_token", "appsecret_proof", "fields", "format"];

/** A form's values are texts, but for lists and objects, which are written as JSON, and for booleans. */
function readForm(form: URLSearchParams): JsonObject {
  const entries = [...form].filter(([name]) => !callParameters.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, /^\s*[[{]|^(?:true|false)$/.test(value) ? parseJson(value) : value]));
}

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

function parseJson(text: string, refuse = (): Error => invalidParameter("The request body is not valid JSON")): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse();
  }
}

/** Picks the members that `fields` names (`defaults` if none), and always `id`. Throws code 100 for an unknown name. */
export function selectFields(
  all: Record<string, unknown>,
  defaults: readonly string[],
  fields: string | null,
  nodeType: string,
): Record<string, unknown> {
  const names = fields === null || fields.trim() === "" ? defaults : namesIn(fields);
  const unknown = names.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) throw invalidParameter(`Tried accessing nonexisting field (${unknown}) on node type (${nodeType})`);
  return Object.fromEntries([...new Set([...names, "id"])].map((name) => [name, all[name]]));
}

/** Parts of a field, as in `health_status{can_send_message}`, are ignored: the sandbox returns the whole field. */
function namesIn(fields: string): string[] {
  const plain = fields.replaceAll(/\{[^{}]*\}|\([^()]*\)/g, "");
  return plain
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
