import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import Router from "@koa/router";
import Koa, { type Middleware, type Context } from "koa";
import { readDocsBundle } from "shared/docs/bundle";
import { bundleFileName } from "shared/docs/topics";
import type { Logger } from "shared/server/logger";
import type { GatewayContext } from "../context.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { Refusal } from "../refusal.ts";
import { accessLog, type LoggedState } from "./access-log.ts";
import { corsHeaders, errorResponse, answerPreflight } from "./answer.ts";
import { answerHandshake, answerUpdates } from "./callback-route.ts";
import { earlyAnswer } from "./connection.ts";
import { createIngestRoute } from "./ingest-route.ts";
import { ClientGone } from "./raw-body.ts";
import type { Readiness } from "./readiness.ts";

/** The HTTP application: read the order of `use` top to bottom and you know the policy. Ingest requests are answered before it, by the same policy. */
export const createApp = (context: GatewayContext, ingest: Pick<Ingest, "handle">, readiness: Readiness): RequestListener => {
  const { config, log } = context;
  const app = new Koa();
  // Only a connection that broke while the answer was being written comes here.
  app.on("error", (error: unknown) => log.debug({ err: error }, "answer not delivered"));

  const { router, unrouted } = createRouter(context, readiness);
  app
    .use(earlyAnswer(config.timeLimits))
    .use(commonHeaders(readiness))
    .use(accessLog(log, config.trustProxy))
    .use(refusals(log))
    .use(hostRequired)
    .use(router)
    .use(unrouted);
  const answer = app.callback();
  const ingestRoute = createIngestRoute(context, ingest, readiness);
  return (request, response) => {
    request.url = originForm(request.url ?? "/");
    if (!ingestRoute(request, response)) void answer(request, response);
  };
};

/** A target as a proxy writes it (RFC 9112, 3.2.2) without its host, of which Koa's parser throws at some; `*` is no path of ours. */
const originForm = (target: string): string => {
  if (target.startsWith("/")) return target;
  if (!URL.canParse(target)) return "*";
  const { pathname, search } = new URL(target);
  return pathname + search;
};

const commonHeaders =
  (readiness: Readiness): Koa.Middleware =>
  async (ctx, next) => {
    ctx.set(corsHeaders);
    ctx.set("X-Content-Type-Options", "nosniff");
    await next();
    if (readiness.stopping) ctx.set("Connection", "close");
  };

/** HTTP/1.1 asks for it (RFC 9112, 3.2); Node's own refusal has no body. */
const hostRequired: Koa.Middleware = (ctx, next) => {
  if (ctx.req.httpVersion === "1.1" && ctx.req.headers.host === undefined) throw new Refusal("bad_request");
  return next();
};

/** Answers whatever is thrown below it, as `error-response.ts` says. */
const refusals =
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

const ingestPath = "/ingest/:source/:event";
const callbackPath = "/platform/webhook/:accountId";

/** Every endpoint, and what answers a request that is for none of them. */
const createRouter = (context: GatewayContext, readiness: Readiness): { router: Middleware; unrouted: Middleware } => {
  const router = new Router({ prefix: "/api/public", sensitive: true, strict: true });
  const whileRunning: Middleware = async (_ctx, next) => {
    if (readiness.stopping) throw new Refusal("stopping");
    await next();
  };
  router.options(ingestPath, answerPreflight);
  // Answered before the framework, by `ingest-route.ts`; named here for `Allow`.
  router.post(ingestPath, async (_ctx, next) => next());
  router.get(callbackPath, async (ctx) => answerHandshake(ctx, context));
  router.post(callbackPath, whileRunning, async (ctx) => answerUpdates(ctx, context));
  router.get("/health", async (ctx) => answerHealth(ctx, readiness));
  router.get("/ready", async (ctx) => answerReady(ctx, readiness));
  router.get("/docs/bundle", answerDocs);
  return { router: router.routes() as unknown as Middleware, unrouted: (ctx) => refuseUnrouted(ctx, router) };
};

const refuseUnrouted = (ctx: Context, router: Router): never => {
  const methods = router.stack.filter((layer) => layer.match(ctx.path)).flatMap((layer) => layer.methods);
  if (methods.length === 0) throw new Refusal("not_found");
  ctx.set("Allow", [...new Set(methods)].join(", "));
  throw new Refusal("method_not_allowed");
};

let bundle: string | undefined;

/** The developer documentation as one Markdown file. Read once: it changes only with the program. */
const answerDocs = (ctx: Context): void => {
  bundle ??= readDocsBundle();
  ctx.set("Content-Disposition", `attachment; filename="${bundleFileName}"`);
  ctx.type = "text/markdown; charset=utf-8";
  ctx.body = bundle;
};

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };

/** 200 while the process lives; `degraded` says that events cannot be taken at the moment. */
const answerHealth = async (ctx: Context, readiness: Readiness): Promise<void> => {
  const database = await readiness.databaseAnswers();
  const status = database && !readiness.stopping ? "ok" : "degraded";
  answerJson(ctx, {
    status,
    version,
    uptimeSeconds: Math.floor(process.uptime()),
    database: database ? "ok" : "away",
    stopping: readiness.stopping,
  });
};

/** 200 when events are taken; 503 when not, for a load balancer to look elsewhere. */
const answerReady = async (ctx: Context, readiness: Readiness): Promise<void> => {
  if (readiness.stopping) throw new Refusal("stopping");
  if (!(await readiness.databaseAnswers())) throw new Refusal("database_away");
  answerJson(ctx, { status: "ready" });
};

const answerJson = (ctx: Context, body: object): void => {
  ctx.set("Cache-Control", "no-store");
  ctx.type = "application/json; charset=utf-8";
  ctx.body = JSON.stringify(body);
};
