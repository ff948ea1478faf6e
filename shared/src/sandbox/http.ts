import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { z } from "zod";
import type { SandboxContext } from "./context.ts";
import { GraphError, refusal, unknownObject, invalidParameter } from "./graph-error.ts";

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

const VERSION = /^\/v(\d{1,3})\.\d+(?=\/|$)/;

/** Answers every request of the sandbox; a handler's throw becomes the platform's error body. */
export function createListener(context: SandboxContext, routes: readonly Route[]): RequestListener {
  return (incoming, response) => {
    void answer(context, routes, incoming).then((found) => send(response, found));
  };
}

/** Answers a request of which nobody can tell where it ends. */
export const refuseUnclear: RequestListener = (_incoming, response) => {
  response.setHeader("connection", "close");
  send(response, { status: 400, json: refusal(100, "The request has no clear end").body });
};

async function answer(context: SandboxContext, routes: readonly Route[], incoming: IncomingMessage): Promise<Answer> {
  const request = describe(incoming);
  try {
    const match = matchRoute(routes, request.method, request.path);
    if ("handler" in match) return await match.handler(context, { ...request, params: match.params });
    if (request.path.startsWith("/_sandbox")) throw new ControlError(match.known ? 405 : 404, `No call ${request.method} ${request.path}`);
    if (match.known) throw unknownObject(request.path.split("/")[1] ?? "", request.method);
    throw new GraphError(400, { message: `Unknown path components: ${request.path}`, code: 2500 });
  } catch (error) {
    // Whoever called has gone in the middle of the request.
    return incoming.destroyed && !incoming.complete ? "reset" : refuse(context, error);
  }
}

function describe(incoming: IncomingMessage): SandboxRequest {
  const { method = "GET", url = "/", headers } = incoming;
  const [whole = "/", search = ""] = url.split("?", 2);
  const version = VERSION.exec(whole);
  return {
    method,
    path: version === null ? whole : whole.slice(version[0].length) || "/",
    version: version === null ? null : Number(version[1]),
    params: {},
    query: new URLSearchParams(search),
    headers,
    origin: `http://${headers.host ?? "localhost"}`,
    readBody: (limit) => readBody(incoming, limit),
  };
}

function refuse({ log }: SandboxContext, error: unknown): Answer {
  if (error instanceof GraphError) return { status: error.status, json: error.body };
  if (error instanceof ControlError) return { status: error.status, json: { error: error.message } };
  log.error({ err: error }, "the sandbox could not answer");
  const unexpected = refusal(131000);
  return { status: unexpected.status, json: unexpected.body };
}

function send(response: ServerResponse, found: Answer): void {
  if (found === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const html = "html" in found;
  const body = html ? found.html : JSON.stringify(found.json);
  response.writeHead(found.status ?? 200, {
    "content-type": html ? "text/html" : "application/json; charset=UTF-8",
    "content-length": Buffer.byteLength(body),
    ...("headers" in found ? found.headers : {}),
  });
  response.end(body);
}

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

export interface Match {
  handler: Handler;
  params: Record<string, string>;
}

/** The first route that fits. `known` tells a wrong method from a wrong path. */
function matchRoute(routes: readonly Route[], method: string, path: string): Match | { known: boolean } {
  const segments = decodeSegments(path);
  if (segments === null) return { known: false };
  let known = false;
  for (const [routeMethod, pattern, handler] of routes) {
    const params = matchPattern(pattern.split("/").slice(1), segments);
    if (params === null) continue;
    if (routeMethod === method) return { handler, params };
    known = true;
  }
  return { known };
}

function matchPattern(pattern: string[], segments: string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = segment;
    else if (part !== segment) return null;
  }
  return params;
}

function decodeSegments(path: string): string[] | null {
  try {
    return path.replace(/\/$/, "").split("/").slice(1).map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** What is read and dropped of a body that is too large, so that its sender sees the refusal; one that goes on is cut off. */
const DROPPED_BYTES = 16 * 1024 * 1024;

/** The request's whole body. Throws a `GraphError` when it has more than `limit` bytes. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
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
