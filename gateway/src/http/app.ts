import type { RequestListener } from "node:http";
import Koa from "koa";
import type { GatewayContext } from "../context.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { Refusal } from "../ingest/refusal.ts";
import { accessLog } from "./access-log.ts";
import { earlyAnswer } from "./connection/early-answer.ts";
import { corsHeaders } from "./cors.ts";
import { createIngestRoute } from "./ingest-route.ts";
import type { Readiness } from "./readiness.ts";
import { refusals } from "./refusals.ts";
import { createRouter } from "./router.ts";

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
