import type { RequestListener } from "node:http";
import Router from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import compose from "koa-compose";
import { eventHeaders } from "shared/core/sources/sources";
import type { Readiness } from "shared/db/readiness";
import { readDocsBundle } from "shared/docs/bundle";
import { bundleFileName, fillAddresses } from "shared/docs/topics";
import { createHostCheck } from "shared/server/hosts";
import { version } from "shared/server/process";
import type { GatewayContext } from "../context.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { RequestRefused } from "../refusal.ts";
import { answerError, answerJson, commonHeaders, createAccessLog, type LoggedState, respond } from "./answer.ts";
import { answerEarly } from "./connection.ts";
import { gatewayDocument } from "./openapi.ts";
import { type Bodies, createBodies } from "./raw-body.ts";
import { answerHandshake, answerRoot, answerShop, answerUpdates, createIngestRoute } from "./routes.ts";

/** The HTTP application: read the order of `use` top to bottom and you know the policy of every public request. */
export function createApp(context: GatewayContext, ingest: Pick<Ingest, "handle" | "handleShop">, readiness: Readiness): RequestListener {
  const { config, log } = context;
  const app = new Koa();
  const bodies = createBodies(config.timeLimits);
  const { router, unrouted } = createRouter(context, ingest, readiness, bodies);
  app
    .use(everyResponse(context, readiness))
    .use(checkHost(config))
    .use(createIngestRoute(context, ingest, readiness, bodies))
    .use(async (ctx, next) => (ctx.path === "/" ? answerRoot(ctx, config) : next()))
    .use(router)
    .use(unrouted);
  // Koa's own callback also watches each response for the end of a stream, which is a twelfth of an event's time, and no answer here is one.
  const chain = compose(app.middleware);
  return (request, response) => {
    request.url = originForm(request.url ?? "/");
    // Koa's own callback does the same: a request whose client is gone has no answer, and is not logged as a success.
    response.statusCode = 404;
    const ctx = app.createContext(request, response);
    chain(ctx)
      .then(() => respond(ctx))
      .catch((error: unknown) => {
        log.error({ err: error }, "no answer");
        response.destroy();
      });
  };
}

/**
 * The target's path and query. Koa's parser must get nothing else: it throws at some hosts (RFC 9112, 3.2.2), and reads a path before a fragment otherwise
 * than the router. `*` matches none of our paths.
 */
function originForm(target: string): string {
  if (target.startsWith("/")) {
    const end = target.indexOf("#");
    return end < 0 ? target : target.slice(0, end);
  }
  if (!URL.canParse(target)) return "*";
  const { pathname, search } = new URL(target);
  return pathname + search;
}

/** The headers, the errors and the log line of every response; one that did not wait for the whole body is the connection's last. */
function everyResponse({ config, log, metrics, pulse }: GatewayContext, readiness: Readiness): Middleware<LoggedState> {
  const writeLine = createAccessLog(log, config.trustProxy);
  return async (ctx, next) => {
    const started = performance.now();
    if (ctx.method === "POST") pulse?.stir();
    ctx.res.setHeaders(commonHeaders);
    try {
      await next();
    } catch (error) {
      answerError(ctx, error, log);
      readiness.failed(ctx.state.cause);
    }
    writeLine(ctx, started);
    metrics?.requests(`${routeOf(ctx.path)} ${ctx.status}`);
    if (readiness.stopping) ctx.set("Connection", "close");
    if (!ctx.req.complete && ctx.respond !== false && ctx.writable) await answerEarly(ctx, config.timeLimits);
  };
}

/** HTTP/1.1 requires a Host (RFC 9112, 3.2; Node's own refusal has no body). A foreign one is refused, except where the state is asked for. */
function checkHost({ ownHosts }: GatewayContext["config"]): Middleware {
  const isOwn = ownHosts === null ? () => true : createHostCheck(ownHosts);
  return (ctx, next) => {
    const { httpVersion, headers } = ctx.req;
    if (httpVersion === "1.1" && headers.host === undefined) throw new RequestRefused("bad_request");
    if (!isOwn(headers.host) && !statePaths.has(ctx.path)) throw new RequestRefused("misdirected");
    return next();
  };
}

/** The route of a path, for counting: one of a few, whatever is asked. */
const routeOf = (path: string): string =>
  /^\/api\/public\/(?:ingest|in|platform\/webhook|health|ready|openapi\.json|docs\/bundle)(?=\/|$)/.exec(path)?.[0] ??
  (path === "/" ? "/" : "other");

const statePaths = new Set(["/api/public/health", "/api/public/ready"]);

const ingestPath = "/ingest/:source/:event";
const shopPath = "/in/:token";
const callbackPath = "/platform/webhook/:accountId";

/** Routes every endpoint but events, which are matched before, and answers requests that match none. */
function createRouter(
  context: GatewayContext,
  ingest: Pick<Ingest, "handleShop">,
  readiness: Readiness,
  bodies: Bodies,
): { router: Middleware; unrouted: Middleware } {
  const router = new Router({ prefix: "/api/public", sensitive: true, strict: true });
  router.options(ingestPath, answerPreflight);
  // Only makes the router name POST in `Allow`.
  router.post(ingestPath, (_ctx, next) => next());
  router.options(shopPath, answerPreflight);
  router.post(shopPath, async (ctx) => answerShop(ctx, context, ingest, readiness, bodies));
  router.get(callbackPath, async (ctx) => answerHandshake(ctx, context));
  router.post(callbackPath, async (ctx) => answerUpdates(ctx, context, readiness, bodies));
  router.get("/health", async (ctx) => answerHealth(ctx, readiness));
  router.get("/ready", async (ctx) => answerReady(ctx, readiness));
  const document = JSON.stringify(gatewayDocument(context.config.publicGatewayUrl));
  router.get("/openapi.json", (ctx) => answerJson(ctx, 200, document));
  router.get("/docs/bundle", (ctx) => answerDocs(ctx, context.config));
  return { router: router.routes() as unknown as Middleware, unrouted: (ctx) => refuseUnrouted(ctx, router) };
}

function refuseUnrouted(ctx: Context, router: Router): never {
  const methods = router.stack.filter((layer) => layer.match(ctx.path)).flatMap((layer) => layer.methods);
  if (methods.length === 0) throw new RequestRefused("not_found");
  ctx.set("Allow", [...new Set(methods)].join(", "));
  throw new RequestRefused("method_not_allowed");
}

const allowedHeaders = Object.values(eventHeaders)
  .map(({ written }) => written)
  .join(", ");

/** The preflight of events: 204, without authentication, whatever the path values are. */
function answerPreflight(ctx: Context): void {
  ctx.status = 204;
  ctx.set({
    "Access-Control-Allow-Methods": "POST, OPTIONS",
    "Access-Control-Allow-Headers": allowedHeaders,
    "Access-Control-Max-Age": "86400",
  });
}

/** The developer documentation as one Markdown file, with the addresses that are known. */
function answerDocs(ctx: Context, { publicGatewayUrl, publicAdminUrl }: GatewayContext["config"]): void {
  const bundle = fillAddresses(readDocsBundle(), { gateway: publicGatewayUrl, admin: publicAdminUrl });
  ctx.set("Content-Disposition", `attachment; filename="${bundleFileName}"`);
  ctx.type = "text/markdown; charset=utf-8";
  ctx.body = bundle;
}

/** 200 while the process lives; `degraded` says that events cannot be taken at the moment. */
async function answerHealth(ctx: Context, readiness: Readiness): Promise<void> {
  const database = await readiness.database();
  const status = database === "ok" && !readiness.stopping ? "ok" : "degraded";
  answerState(ctx, { status, version, uptimeSeconds: Math.floor(process.uptime()), database, stopping: readiness.stopping });
}

/** 200 when events are taken; 503 when not, for a load balancer to look elsewhere. */
async function answerReady(ctx: Context, readiness: Readiness): Promise<void> {
  if (readiness.stopping) throw new RequestRefused("stopping");
  if ((await readiness.database()) !== "ok") throw new RequestRefused("database_away");
  answerState(ctx, { status: "ready" });
}

function answerState(ctx: Context, state: object): void {
  ctx.set("Cache-Control", "no-store");
  answerJson(ctx, 200, JSON.stringify(state));
}
