import type { Middleware } from "koa";
import type { Logger } from "shared/server/logger";

/** What went wrong outside a procedure. Koa's own handler would take the headers away that every answer carries. */
export function answerErrors(log: Logger): Middleware {
  return async (koa, next) => {
    try {
      await next();
    } catch (error) {
      log.error({ err: error, path: koa.path }, "request failed");
      koa.status = 500;
      koa.body = { error: "Something went wrong on the server. Try again; the server's log says more." };
    }
    if (koa.status === 404 && !koa.body) {
      koa.status = 404;
      koa.body = { error: "Not found" };
    }
  };
}
