import type { IncomingMessage } from "node:http";
import type { Middleware } from "koa";
import type { Logger } from "shared/server/logger";

/** Longer paths are cut in the log. */
const MAX_PATH = 200;

/** Members of `ctx.state` that the log line takes up. */
export interface LoggedState {
  /** The stored event. */
  eventId?: string;
  /** Why the request was refused. */
  refusal?: string;
  /** What the database or the socket said. */
  cause?: string;
  /** Members that a route adds to its line. */
  details?: Record<string, unknown>;
}

/** Writes one line a request. Never headers, query or body: they hold keys, tokens and people's data. */
export interface RequestLog {
  (request: IncomingMessage, response: { status: number; writable: boolean }, state: LoggedState, ms: number): void;
}

export const createRequestLog = (log: Logger, trustProxy: boolean): RequestLog => {
  // Its members are all named below and none is a secret: looking for some in every line costs more than writing it.
  const lines = log.child({}, { redact: [] });
  return (request, { status, writable }, state, ms) => {
    if (!lines.isLevelEnabled("info")) return;
    const line = {
      method: request.method,
      path: pathOf(request.url ?? "").slice(0, MAX_PATH),
      status,
      ms: Math.round(ms * 10) / 10,
      from: clientAddress(request, trustProxy),
      event_id: state.eventId,
      refusal: state.refusal,
      cause: state.cause,
      // Whoever asked is gone, so the status is what would have been answered.
      aborted: writable ? undefined : true,
      ...state.details,
    };
    lines.info(line, "request");
  };
};

export const accessLog = (log: Logger, trustProxy: boolean): Middleware<LoggedState> => {
  const logRequest = createRequestLog(log, trustProxy);
  return async (ctx, next) => {
    const started = performance.now();
    await next();
    logRequest(ctx.req, ctx, ctx.state, performance.now() - started);
  };
};

const pathOf = (target: string): string => {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
};

/** Behind a proxy, the last address that it added. */
const clientAddress = ({ headers, socket }: IncomingMessage, trustProxy: boolean): string => {
  const forwarded = trustProxy ? String(headers["x-forwarded-for"] ?? "") : "";
  return forwarded.slice(forwarded.lastIndexOf(",") + 1).trim() || (socket.remoteAddress ?? "");
};
