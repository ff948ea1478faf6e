import Koa, { type Middleware } from "koa";
import { createHostCheck } from "shared/server/hosts";
import type { AdminContext } from "../context.ts";
import { auditCsv, csvRoute, notificationsCsv } from "./csv.ts";
import { type DashboardFile, dashboardRoute } from "./dashboard.ts";
import { mediaRoute } from "./media.ts";
import { answerErrors, refuseLongHeads } from "./refusals.ts";
import { securityHeaders } from "./security-headers.ts";
import { trpcRoute } from "./trpc-route.ts";

/** The middleware of every request, in order. */
export function createApp(context: AdminContext, dashboard: Map<string, DashboardFile>): Koa {
  const app = new Koa();
  app.on("error", (error: unknown) => context.log.warn({ err: error }, "connection failed"));
  app.use(securityHeaders(context.config.publicAdminUrl));
  app.use(answerErrors(context.log));
  app.use(refuseLongHeads);
  app.use(healthRoute(context));
  app.use(refuseForeignHosts(context));
  app.use(trpcRoute(context));
  app.use(csvRoute(context, auditCsv));
  app.use(csvRoute(context, notificationsCsv));
  app.use(mediaRoute(context));
  app.use(dashboardRoute(dashboard));
  return app;
}

/** A page that has made its own name lead to this server (DNS rebinding) still sends that name. */
function refuseForeignHosts({ config }: AdminContext): Middleware {
  const isOurs = createHostCheck([config.host, new URL(config.publicAdminUrl).host, ...config.allowedHosts]);
  return async (koa, next) => {
    if (isOurs(koa.req.headers.host)) return next();
    koa.status = 421;
    koa.body = { error: "This server does not answer under this name: use its address, or add the name to ALLOWED_HOSTS" };
  };
}

const healthTimeoutMs = 2_000;

/** 200 when this server and its database can serve. */
function healthRoute({ sql, log, stopping }: AdminContext): Middleware {
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
    timer = setTimeout(() => reject(new Error(`the database did not answer within ${healthTimeoutMs} ms`)), healthTimeoutMs);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
