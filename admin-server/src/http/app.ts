import Koa, { type Middleware } from "koa";
import { createReadiness } from "shared/db/readiness";
import { createHostCheck } from "shared/server/hosts";
import { version } from "shared/server/process";
import type { AdminContext } from "../context.ts";
import { isSecure } from "../session/sessions.ts";
import { type DashboardFile, dashboardRoute } from "./dashboard.ts";
import { docsRoute } from "./docs.ts";
import { auditCsv, auditLines, exportRoute, notificationsCsv, statisticsCsv } from "./exports.ts";
import { mcpRoute } from "./mcp.ts";
import { mediaRoute } from "./media.ts";
import { policyReportsRoute } from "./policy-reports.ts";
import { answerErrors, refuseLongHeads, refuseWith } from "./refusals.ts";
import { clientAddress } from "./request-context.ts";
import { documentRoute, restRoute } from "./rest.ts";
import { securityHeaders } from "./security-headers.ts";
import { trpcRoute } from "./trpc-route.ts";

/** The middleware of every request, in order. */
export async function createApp(context: AdminContext, dashboard: Map<string, DashboardFile>): Promise<Koa> {
  const app = new Koa();
  app.on("error", (error: NodeJS.ErrnoException) => {
    // Who closes a live view leaves its answer unfinished.
    const hasLeft = ["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"].includes(error.code ?? "");
    context.log[hasLeft ? "debug" : "warn"]({ err: error }, "connection failed");
  });
  app.use(accessLog(context));
  app.use(securityHeaders(context.config.publicAdminUrl));
  app.use(answerErrors(context.log));
  app.use(refuseLongHeads);
  app.use(probes(context));
  app.use(refuseForeignHosts(context));
  app.use(policyReportsRoute(context));
  app.use(trpcRoute(context));
  app.use(documentRoute(context));
  app.use(docsRoute(context));
  app.use(restRoute(context));
  app.use(mcpRoute(context));
  app.use(exportRoute(context, auditCsv));
  app.use(exportRoute(context, auditLines));
  app.use(exportRoute(context, notificationsCsv));
  app.use(exportRoute(context, statisticsCsv));
  app.use(mediaRoute(context));
  // Without an issuer its library is not loaded.
  if (context.config.oidc !== null) app.use((await import("./openid.ts")).openIdRoute(context, context.config.oidc));
  app.use(refuseUnknown);
  app.use(dashboardRoute(dashboard, isSecure(context.config)));
  return app;
}

/** Refuses foreign hosts: a page whose own name leads to this server (DNS rebinding) still sends that name. */
function refuseForeignHosts({ config }: AdminContext): Middleware {
  const isOurs = createHostCheck([config.host, new URL(config.publicAdminUrl).host, ...config.allowedHosts]);
  return async (koa, next) => {
    if (isOurs(koa.req.headers.host)) return next();
    refuseWith(koa, 421, "This server does not serve this host name: use its address, or add the name to ALLOWED_HOSTS");
  };
}

const databaseCheckMs = 2_000;

/** `/healthz`: 200 while the process lives. `/readyz`: 200 when this server and its database can serve. */
function probes({ sql, log, stopping }: AdminContext): Middleware {
  const readiness = createReadiness(sql, databaseCheckMs, (level, text) => log[level](text));
  return async (koa, next) => {
    if (!["/healthz", "/readyz"].includes(koa.path) || !["GET", "HEAD"].includes(koa.method)) return next();
    koa.set("cache-control", "no-store");
    const database = await readiness.database();
    const isReady = database === "ok" && !stopping.aborted;
    koa.status = isReady || koa.path === "/healthz" ? 200 : 503;
    koa.body = { status: isReady ? "ok" : "degraded", version, database, stopping: stopping.aborted };
  };
}

/** Paths of programs are never pages. */
const refuseUnknown: Middleware = async (koa, next) => {
  if (!/^\/(?:api|metrics)(?:\/|$)/.test(koa.path)) return next();
  refuseWith(koa, 404, "Not found");
};

/** Longer paths are cut. */
const longestPath = 200;

/** Writes a line for each request and counts it. Never headers, query or body: they hold cookies, tokens and people's data. */
function accessLog({ config, log, metrics, pulse }: AdminContext): Middleware {
  // All members are named below and none is a secret: redaction would cost more than writing the line.
  const lines = log.child({}, { redact: [] });
  return async (koa, next) => {
    const since = performance.now();
    if (["/trpc", "/api", "/mcp"].includes(routeOf(koa.path))) pulse?.stir();
    const { address } = clientAddress(koa.req, config.trustProxy);
    await next();
    const { method, path, status } = koa;
    metrics?.requests(`${routeOf(path)} ${status}`);
    lines.info(
      { method, path: path.slice(0, longestPath), status, ms: Math.round((performance.now() - since) * 10) / 10, from: address },
      "request",
    );
  };
}

/** The route of a path, for counting: one of a few, whatever is asked. */
const routeOf = (path: string): string =>
  /^\/(?:trpc|api|mcp|media|export|auth|assets|healthz|readyz|policy-reports)(?=\/|$)/.exec(path)?.[0] ?? "page";
