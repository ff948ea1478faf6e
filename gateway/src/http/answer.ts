import type { Context, ParameterizedContext } from "koa";
import { isDatabaseAway } from "shared/db/transaction";
import type { Logger } from "shared/server/logger";
import { RequestRefused, type RefusalName } from "../refusal.ts";
import { type LoggedState, loggedPath } from "./access-log.ts";
import { ClientGone } from "./raw-body.ts";

const jsonType = "application/json; charset=utf-8";

/** The API is for servers, but a tool in a browser may read it. Never with credentials. */
const corsHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After, X-Service-Idempotent-Replay",
};

/** Headers of every response that passes the application. */
export const commonHeaders: Map<string, string> = new Map([...Object.entries(corsHeaders), ["X-Content-Type-Options", "nosniff"] as const]);

/** Answers with a text that is JSON already. */
export function answerJson(ctx: Pick<Context, "res" | "status" | "body">, status: number, body: string): void {
  ctx.status = status;
  ctx.res.setHeader("Content-Type", jsonType);
  ctx.body = body;
}

/** Answers the error as `errorResponse` says; a client that is gone gets no answer. */
export function answerError(ctx: ParameterizedContext<LoggedState>, error: unknown, log: Logger): void {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code === "string") ctx.state.cause = code;
  if (error instanceof ClientGone) {
    ctx.state.refusal = "client_gone";
    ctx.respond = false;
    return;
  }
  const { status, body, headers, refusal } = errorResponse(error);
  ctx.state.refusal = refusal;
  if (refusal === "internal") log.error({ err: error, method: ctx.method, path: loggedPath(ctx.path) }, "unexpected error");
  answerJson(ctx, status, body);
  ctx.set(headers);
}

/** Sends the answer that a context has, unless it is sent already or nobody is there to get it. */
export function respond(ctx: Context): void {
  if (ctx.respond === false) return;
  const { req, res, body } = ctx;
  if (req.method === "HEAD" || typeof body !== "string") res.end();
  else res.end(body);
}

/** The answer to an exception. */
export interface ErrorResponse {
  status: number;
  /** `{"error": string}` and nothing else. */
  body: string;
  headers: Record<string, string>;
  /** For the log. `internal`: nobody foresaw it, so it is logged with its stack. */
  refusal: RefusalName;
}

/** The one place that turns an exception into an answer. Only refusals tell the client anything about themselves. */
export function errorResponse(error: unknown): ErrorResponse {
  const refusal = error instanceof RequestRefused ? error : translate(error);
  const { status, message, retryAfterSeconds } = responses[refusal.refusal];
  const wait = refusal.retryAfterSeconds ?? retryAfterSeconds;
  return {
    status,
    body: JSON.stringify({ error: message }),
    headers: wait === undefined ? {} : { "Retry-After": String(Math.max(1, Math.ceil(wait))) },
    refusal: refusal.refusal,
  };
}

const translate = (error: unknown): RequestRefused =>
  new RequestRefused(isDatabaseAway(error) ? "database_away" : "internal", null, { cause: error });

/** All header fields of an error, for requests that never reach the application. */
export const errorHeaders = ({ body, headers }: ErrorResponse): Record<string, string> => ({
  ...corsHeaders,
  ...headers,
  Connection: "close",
  "Content-Type": jsonType,
  "Content-Length": String(Buffer.byteLength(body)),
});

interface Row {
  status: number;
  /** Stable: clients match on it. */
  message: string;
  retryAfterSeconds?: number;
}

const responses: Record<RefusalName, Row> = {
  bad_request: { status: 400, message: "Bad request" },
  malformed_json: { status: 400, message: "Malformed JSON" },
  not_an_object: { status: 400, message: "Body must be a JSON object" },
  invalid_event_name: { status: 400, message: "Invalid event name" },
  invalid_source: { status: 400, message: "Invalid source" },
  invalid_idempotency_key: { status: 400, message: "Invalid idempotency key" },
  invalid_mode: { status: 400, message: "Invalid mode" },
  missing_topic: { status: 400, message: "Missing topic" },
  missing_site_key: { status: 401, message: "Missing site key" },
  invalid_site_key: { status: 401, message: "Invalid site key" },
  invalid_signature: { status: 401, message: "Invalid signature" },
  missing_timestamp: { status: 401, message: "Missing timestamp" },
  stale_timestamp: { status: 401, message: "Stale timestamp" },
  signed_timestamp_required: { status: 401, message: "Signed timestamp required" },
  site_disabled: { status: 403, message: "Site is disabled" },
  invalid_verify_token: { status: 403, message: "Invalid verify token" },
  not_found: { status: 404, message: "Not found" },
  method_not_allowed: { status: 405, message: "Method not allowed" },
  request_timeout: { status: 408, message: "Request timeout" },
  id_already_used: { status: 409, message: "Id already used" },
  body_too_large: { status: 413, message: "Body too large" },
  unsupported_content_type: { status: 415, message: "Unsupported content type" },
  expectation_failed: { status: 417, message: "Expectation failed" },
  misdirected: { status: 421, message: "Misdirected request" },
  rate_limited: { status: 429, message: "Rate limit exceeded", retryAfterSeconds: 1 },
  headers_too_large: { status: 431, message: "Headers too large" },
  internal: { status: 500, message: "Internal error; retry with exponential backoff and the same idempotency key" },
  still_in_progress: { status: 503, message: "Still in progress", retryAfterSeconds: 5 },
  secret_unreadable: { status: 503, message: "Site secret unreadable", retryAfterSeconds: 60 },
  stopping: { status: 503, message: "Server is stopping", retryAfterSeconds: 2 },
  full: { status: 503, message: "Server is busy", retryAfterSeconds: 2 },
  database_away: { status: 503, message: "Database unavailable", retryAfterSeconds: 5 },
};
