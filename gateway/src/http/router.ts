import Router from "@koa/router";
import type { Context, Middleware } from "koa";
import type { GatewayContext } from "../context.ts";
import { Refusal } from "../ingest/refusal.ts";
import { answerHandshake, answerUpdates } from "./callback-route.ts";
import { answerPreflight } from "./cors.ts";
import { answerDocs } from "./docs-route.ts";
import { answerHealth, answerReady } from "./health-route.ts";
import type { Readiness } from "./readiness.ts";

const ingestPath = "/ingest/:source/:event";
const callbackPath = "/platform/webhook/:accountId";

/** Every endpoint, and what answers a request that is for none of them. */
export const createRouter = (context: GatewayContext, readiness: Readiness): { router: Middleware; unrouted: Middleware } => {
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
