import type { Context, ParameterizedContext } from "koa";
import type { Logger } from "shared/server/logger";

/** Members of `ctx.state` that the log line includes. */
export interface LoggedState {
  /** The stored event. */
  eventId?: string | null;
  /** Why the request was refused. */
  refusal?: string;
  /** The error code of the database or the socket. */
  cause?: string;
  /** Members of one route's log lines. */
  details?: Record<string, unknown>;
}

/** Longer paths are cut in the log. */
const maxPathLength = 200;

/** A path in its logged form, without the token of an inbound address, which only its shop may know. */
export const loggedPath = (path: string): string => path.slice(0, maxPathLength).replace(/(\/public\/+in\/+)[^/]+/i, "$1…");

/** Writes one line a request, which began at `started` (`performance.now()`). Never headers, query or body: they hold keys, tokens and people's data. */
export function createAccessLog(log: Logger, trustProxy: boolean): (ctx: ParameterizedContext<LoggedState>, started: number) => void {
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
function clientAddress({ req }: Pick<Context, "req">, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(req.headers["x-forwarded-for"] ?? "") : "";
  return forwarded.slice(forwarded.lastIndexOf(",") + 1).trim() || (req.socket.remoteAddress ?? "");
}
