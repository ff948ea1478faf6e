import type { ServerResponse } from "node:http";
import type { Context } from "koa";
import { isDatabaseAway } from "shared/db/transaction";
import { Refusal, type RefusalName } from "../refusal.ts";

/** What an exception becomes on the wire. */
export interface ErrorResponse {
  status: number;
  /** `{"error": string}` and nothing else. */
  body: string;
  headers: Record<string, string>;
  /** For the log. `internal`: nobody foresaw it, so it is logged with its stack. */
  refusal: RefusalName;
}

/** The one place that turns an exception into an answer. Whatever is not a refusal tells the client nothing of itself. */
export const errorResponse = (error: unknown): ErrorResponse => {
  const refusal = error instanceof Refusal ? error : translate(error);
  const { status, message, retryAfterSeconds } = refusals[refusal.refusal];
  const wait = refusal.retryAfterSeconds ?? retryAfterSeconds;
  return {
    status,
    body: JSON.stringify({ error: message }),
    headers: wait === undefined ? {} : { "Retry-After": String(Math.max(1, Math.ceil(wait))) },
    refusal: refusal.refusal,
  };
};

/** The same as whole header fields, for answers that the application has no part in. */
export const errorHeaders = ({ body, headers }: ErrorResponse): Record<string, string> => ({
  ...corsHeaders,
  ...headers,
  Connection: "close",
  "Content-Type": "application/json; charset=utf-8",
  "Content-Length": String(Buffer.byteLength(body)),
});

const translate = (error: unknown): Refusal => new Refusal(isDatabaseAway(error) ? "database_away" : "internal", null, { cause: error });

interface Row {
  status: number;
  /** Stable: clients match on it. */
  message: string;
  retryAfterSeconds?: number;
}

const refusals: Record<RefusalName, Row> = {
  bad_request: { status: 400, message: "Bad request" },
  malformed_json: { status: 400, message: "Malformed JSON" },
  not_an_object: { status: 400, message: "Body must be a JSON object" },
  invalid_event_name: { status: 400, message: "Invalid event name" },
  invalid_source: { status: 400, message: "Invalid source" },
  invalid_idempotency_key: { status: 400, message: "Invalid idempotency key" },
  invalid_mode: { status: 400, message: "Invalid mode" },
  missing_site_key: { status: 401, message: "Missing site key" },
  invalid_site_key: { status: 401, message: "Invalid site key" },
  invalid_signature: { status: 401, message: "Invalid signature" },
  missing_timestamp: { status: 401, message: "Missing timestamp" },
  stale_timestamp: { status: 401, message: "Stale timestamp" },
  site_disabled: { status: 403, message: "Site is disabled" },
  invalid_verify_token: { status: 403, message: "Invalid verify token" },
  not_found: { status: 404, message: "Not found" },
  method_not_allowed: { status: 405, message: "Method not allowed" },
  request_timeout: { status: 408, message: "Request timeout" },
  body_too_large: { status: 413, message: "Body too large" },
  unsupported_content_type: { status: 415, message: "Unsupported content type" },
  expectation_failed: { status: 417, message: "Expectation failed" },
  rate_limited: { status: 429, message: "Rate limit exceeded", retryAfterSeconds: 1 },
  headers_too_large: { status: 431, message: "Headers too large" },
  internal: { status: 500, message: "Internal error; retry with exponential backoff and the same idempotency key" },
  still_in_progress: { status: 503, message: "Still in progress", retryAfterSeconds: 5 },
  stopping: { status: 503, message: "Server is stopping", retryAfterSeconds: 2 },
  full: { status: 503, message: "Server is busy", retryAfterSeconds: 2 },
  database_away: { status: 503, message: "Database unavailable", retryAfterSeconds: 5 },
};

/** On every response: the API is for servers, but a tool in a browser may read it. Never with credentials. */
export const corsHeaders: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After, X-Service-Idempotent-Replay",
};

/** The ingest endpoint's preflight: 204, without authentication, whatever the path values are. */
export const answerPreflight = (ctx: Context): void => {
  ctx.status = 204;
  ctx.set({
    "Access-Control-Allow-Methods": "POST, OPTIONS",
    "Access-Control-Allow-Headers":
      "Content-Type, X-Service-Site-Key, X-Service-Signature, X-Service-Timestamp, X-Service-Idempotency-Key, X-Service-Mode",
    "Access-Control-Max-Age": "86400",
  });
};

/** Whether there is still somebody to answer, and nothing has been answered yet. */
export const isWritable = (response: ServerResponse): boolean =>
  // One whose turn on its connection has not come yet has no socket.
  !response.writableEnded && !response.headersSent && !response.destroyed && (response.socket?.writable ?? true);
