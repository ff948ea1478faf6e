import type { Middleware } from "koa";
import type { Logger } from "shared/server/logger";
import type { LoggedState } from "./access-log.ts";
import { ClientGone } from "./connection/raw-body.ts";
import { errorResponse } from "./error-response.ts";

/** Answers whatever is thrown below it, as `error-response.ts` says. */
export const refusals =
  (log: Logger): Middleware<LoggedState> =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { status, body, headers, refusal } = errorResponse(error);
      if (error instanceof ClientGone) ctx.respond = false;
      else if (refusal === "internal") log.error({ err: error, method: ctx.method, path: ctx.path }, "unexpected error");
      ctx.state.refusal = error instanceof ClientGone ? "client_gone" : refusal;
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (typeof code === "string") ctx.state.cause = code;
      ctx.status = status;
      ctx.set(headers);
      ctx.type = "application/json; charset=utf-8";
      ctx.body = body;
    }
  };
