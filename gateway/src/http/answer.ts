import type { Context, ParameterizedContext } from "koa";
import { isDatabaseAway } from "shared/db/transaction";
import type { Logger } from "shared/server/logger";
import { refusals, RequestRefused, type RefusalName } from "../refusal.ts";
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
