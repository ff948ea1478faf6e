import type { Middleware } from "koa";
import type { AdminContext } from "../context.ts";

const patienceMs = 2_000;

/** 200 when this server can serve, which takes the database. */
export function healthRoute({ sql, log, stopping }: AdminContext): Middleware {
  return async (koa, next) => {
    if (koa.path !== "/healthz" || !["GET", "HEAD"].includes(koa.method)) return next();
    koa.set("cache-control", "no-store");
    try {
      await withinTime(sql`select 1`);
      koa.status = stopping.aborted ? 503 : 200;
      koa.body = { status: stopping.aborted ? "stopping" : "ok" };
    } catch (error) {
      log.warn({ err: error }, "not healthy");
      koa.status = 503;
      koa.body = { status: "no database" };
    }
  };
}

async function withinTime(work: PromiseLike<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the database did not answer within ${patienceMs} ms`)), patienceMs);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
