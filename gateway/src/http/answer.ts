import type { ParameterizedContext } from "koa";
import { isDatabaseAway } from "shared/db/statement";
import type { Logger } from "shared/server/logger";
import { refusals, RequestRefused, type RefusalName } from "../refusal.ts";

const jsonType = "application/json; charset=utf-8";

/** The API is for servers, but a tool in a browser may read it. Never with credentials. */
const corsHeaders = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After, X-Service-Idempotent-Replay" };

/** Headers of every response that passes the application. */
export const commonHeaders: Map<string, string> = new Map([...Object.entries(corsHeaders), ["X-Content-Type-Options", "nosniff"] as const]);

/** The client went away before its body was complete: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";

  constructor(cause: unknown) {
    super("The client closed the connection before its request was complete.", { cause });
  }
}

/** Answers with a text that is JSON already. */
export function answerJson(ctx: LoggedContext, status: number, body: string): void {
  ctx.status = status;
  ctx.res.setHeader("Content-Type", jsonType);
  ctx.body = body;
}

/** Answers the error as `errorResponse` says; a client that is gone gets no answer. */
export function answerError(ctx: LoggedContext, error: unknown, log: Logger): void {
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
export function respond(ctx: LoggedContext): void {
  if (ctx.respond === false) return;
  const { req, res, body } = ctx;
  if (req.method === "HEAD" || typeof body !== "string") res.end();
  else res.end(body);
}

/**
 * The one place that turns an exception into an answer. Only refusals tell the client anything about themselves; what nobody foresaw is `internal`, which
 * is logged with its stack.
 */
export function errorResponse(error: unknown) {
  const refusal: RefusalName = error instanceof RequestRefused ? error.refusal : isDatabaseAway(error) ? "database_away" : "internal";
  const { status, message, retryAfterSeconds } = refusals[refusal];
  const headers: Record<string, string> = retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
  return { status, body: JSON.stringify({ error: message }), headers, refusal };
}

/** All header fields of an error, for requests that never reach the application. */
export const errorHeaders = ({ body, headers }: ReturnType<typeof errorResponse>): Record<string, string> => ({
  ...corsHeaders,
  ...headers,
  Connection: "close",
  "Content-Type": jsonType,
  "Content-Length": String(Buffer.byteLength(body)),
});

/** What is known of a request, for its log line and for counting. */
export interface LoggedState {
  /** The path's fixed part, for counting. */
  route?: string;
  /** The stored event. */
  eventId?: string | null;
  /** Why the request was refused. */
  refusal?: string;
  /** The error code of the database or the socket. */
  cause?: string;
  /** Members of one route's log lines. */
  details?: Record<string, unknown>;
}

/** A request and its answer. */
export type LoggedContext = ParameterizedContext<LoggedState>;

/** Longer paths are cut in the log. */
const maxPathLength = 200;

/** A path in its logged form, without the token of an inbound address, which only its shop may know. */
const loggedPath = (path: string): string => path.slice(0, maxPathLength).replace(/(\/public\/+in\/+)[^/]+/i, "$1…");

/** Writes one line a request, which began at `started` (`performance.now()`). Never headers, query or body: they hold keys, tokens and people's data. */
export function createAccessLog(log: Logger, trustProxy: boolean): (ctx: LoggedContext, started: number) => void {
  // All members are named below and none is a secret: redaction would cost more than writing the line.
  const lines = log.child({}, { redact: [] });
  return (ctx, started) => {
    if (!lines.isLevelEnabled("info")) return;
    const { state } = ctx;
    const line = {
      method: ctx.req.method,
      path: loggedPath(ctx.path),
      status: ctx.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
      from: clientAddress(ctx, trustProxy),
      event_id: state.eventId ?? undefined,
      refusal: state.refusal,
      cause: state.cause,
      // The client is gone and never sees the status.
      aborted: ctx.writable ? undefined : true,
      ...state.details,
    };
    lines.info(line, "request");
  };
}

/** Behind a proxy, the last address that it added. */
function clientAddress({ req }: LoggedContext, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(req.headers["x-forwarded-for"] ?? "") : "";
  return forwarded.slice(forwarded.lastIndexOf(",") + 1).trim() || (req.socket.remoteAddress ?? "");
}
