import type { Context, Middleware } from "koa";
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

/** One line a request. Never headers, query or body: they hold keys, tokens and people's data. */
export const accessLog =
  (log: Logger): Middleware<LoggedState> =>
  async (ctx, next) => {
    const started = performance.now();
    await next();
    if (log.isLevelEnabled("info")) log.info(lineOf(ctx, ctx.state, performance.now() - started), "request");
  };

const lineOf = (
  ctx: Pick<Context, "method" | "path" | "status" | "ip" | "writable">,
  state: LoggedState,
  ms: number,
): Record<string, unknown> => ({
  method: ctx.method,
  path: ctx.path.slice(0, MAX_PATH),
  status: ctx.status,
  ms: Math.round(ms * 10) / 10,
  from: ctx.ip,
  event_id: state.eventId,
  refusal: state.refusal,
  cause: state.cause,
  // Whoever asked is gone, so the status is what would have been answered.
  aborted: ctx.writable ? undefined : true,
  ...state.details,
});
