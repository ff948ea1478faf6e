import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { z } from "zod";
import type { SandboxContext } from "./context.ts";
import { invalidParameter } from "./graph-error.ts";

/** A request as the handlers see it, whatever version its path named. */
export interface SandboxRequest {
  method: string;
  /** Without the version segment. */
  path: string;
  /** Major version of the path, null when it named none. */
  version: number | null;
  /** The path's named segments, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Scheme and host as the caller wrote them, for links. */
  origin: string;
  /** The whole body; throws a `GraphError` beyond `limit` bytes. */
  readBody(limit: number): Promise<Buffer>;
}

export type Answer = JsonAnswer | HtmlAnswer | "reset";

export interface JsonAnswer {
  status?: number;
  json: unknown;
  headers?: Record<string, string>;
}

/** What the platform's edge says when what is behind it does not. */
export interface HtmlAnswer {
  status: number;
  html: string;
}

export type Handler = (context: SandboxContext, request: SandboxRequest) => Answer | Promise<Answer>;

const maxControlBytes = 64 * 1024;

/** A refusal of one of the sandbox's own calls, answered as `{"error": text}`. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The body of one of the sandbox's own calls. Throws a `ControlError` that names every member that is wrong. */
export async function readControl<T>(request: SandboxRequest, schema: z.ZodType<T>): Promise<T> {
  const text = (await request.readBody(maxControlBytes)).toString("utf8");
  const result = schema.safeParse(parseControl(text));
  if (result.success) return result.data;
  throw new ControlError(400, result.error.issues.map((issue) => `${issue.path.join(".") || "body"}: ${issue.message}`).join("; "));
}

function parseControl(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new ControlError(400, "The body is not valid JSON");
  }
}

/** Method, pattern (`:name` takes one segment) and what answers it. */
export type Route = readonly [method: string, pattern: string, handler: Handler];

/** What is read and dropped of a body that is too large, so that its sender sees the refusal; one that goes on is cut off. */
const DROPPED_BYTES = 16 * 1024 * 1024;

/** The request's whole body. Throws a `GraphError` when it has more than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else if (size > limit + DROPPED_BYTES) break;
  }
  if (size > limit) throw invalidParameter(`The request body is larger than ${limit} bytes`);
  return Buffer.concat(chunks);
}

const maxJsonBytes = 1024 * 1024;

export type JsonObject = Record<string, unknown>;

/** The body as a JSON object; an empty body is an empty one. Throws a `GraphError` for anything else. */
export async function readJson(request: SandboxRequest): Promise<JsonObject> {
  const text = (await request.readBody(maxJsonBytes)).toString("utf8");
  if (text.trim() === "") return {};
  const value = parseJson(text);
  if (!isObject(value)) throw invalidParameter("The request body must be a JSON object");
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidParameter("The request body is not valid JSON");
  }
}

/** The members that `fields` asks for, `id` always among them; `defaults` when it asks for none. Throws code 100 for an unknown name. */
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

// `health_status{can_send_message}` asks for parts of a field; the sandbox answers the whole.
function namesIn(fields: string): string[] {
  const plain = fields.replaceAll(/\{[^{}]*\}|\([^()]*\)/g, "");
  return plain
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
