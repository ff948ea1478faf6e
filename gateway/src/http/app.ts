import type { RequestListener } from "node:http";
import Router from "@koa/router";
import Koa from "koa";
import type { Readiness } from "shared/db/readiness";
import { createHostCheck } from "shared/server/hosts";
import type { GatewayContext } from "../context.ts";
import type { Answer } from "../ingest/answer.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { orRefuse, RequestRefused } from "../refusal.ts";
import { answerError, answerJson, commonHeaders, createAccessLog, type LoggedContext, type LoggedState, respond } from "./answer.ts";
import { answerEarly, createReadBody, refuseDeclaredLength } from "./connection.ts";
import { gatewayDocument } from "./openapi.ts";
import { answerDocs, answerHandshake, answerHealth, answerPreflight, answerReady, answerRoot, answerUpdates, docsPath } from "./routes.ts";

/** What takes the requests of shops and of their programs. */
type Takers = Pick<Ingest, "handle" | "handleShop">;

/** The HTTP application: read `take` and the routes top to bottom and you know the policy of every public request. */
export function createApp(context: GatewayContext, ingest: Takers, readiness: Readiness): RequestListener {
  const { config, log, metrics, pulse } = context;
  const app = new Koa();
  const checkHost = refuseForeignHosts(config);
  const route = createRouting(context, ingest, readiness);
  const writeLine = createAccessLog(log, config.trustProxy);

  /** Rejects rather than throws: by then the parser has told whether a request without a body is complete. */
  const take = async (ctx: LoggedContext): Promise<void> => {
    checkHost(ctx);
    await route(ctx);
  };
  /** The headers, the errors and the log line of every response; one that did not wait for the whole body is the connection's last. */
  const answer = async (ctx: LoggedContext): Promise<void> => {
    const started = performance.now();
    if (ctx.method === "POST") pulse?.stir();
    ctx.res.setHeaders(commonHeaders);
    try {
      await take(ctx);
    } catch (error) {
      answerError(ctx, error, log);
      readiness.failed(ctx.state.cause);
    }
    writeLine(ctx, started);
    metrics?.requests(`${ctx.state.route ?? "other"} ${ctx.status}`);
    if (readiness.stopping) ctx.set("Connection", "close");
    if (!ctx.req.complete && ctx.respond !== false && ctx.writable) await answerEarly(ctx, config.timeLimits);
    respond(ctx);
  };
  // Koa's own callback also watches each response for the end of a stream, which is a twelfth of an event's time, and no answer here is one.
  return (request, response) => {
    request.url = originForm(request.url ?? "/");
    // Koa's own callback does the same: a request whose client is gone has no answer, and is not logged as a success.
    response.statusCode = 404;
    answer(app.createContext<LoggedState>(request, response)).catch((error: unknown) => {
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

/** HTTP/1.1 requires a Host (RFC 9112, 3.2; Node's own refusal has no body). A foreign one is refused, except where the state is asked for. */
function refuseForeignHosts({ ownHosts }: GatewayContext["config"]): (ctx: LoggedContext) => void {
  const isOwn = ownHosts === null ? () => true : createHostCheck(ownHosts);
  return (ctx) => {
    const { httpVersion, headers } = ctx.req;
    if (httpVersion === "1.1" && headers.host === undefined) throw new RequestRefused("bad_request");
    if (!isOwn(headers.host) && !statePaths.has(ctx.path)) throw new RequestRefused("misdirected");
  };
}

const statePaths = new Set(["/api/public/health", "/api/public/ready"]);

/** Answers a request. `values`: the parts of its path that vary, as they were sent. */
type Handler = (ctx: LoggedContext, ...values: string[]) => void | Promise<void>;

/** The public paths, the one that is asked thousands of times a second first. */
function routesOf(context: GatewayContext, ingest: Takers, readiness: Readiness): Record<string, Record<string, Handler>> {
  const { config, clock } = context;
  const readBody = createReadBody(config.timeLimits);
  const document = JSON.stringify(gatewayDocument(config.publicGatewayUrl));
  /** All members that a request ever gets stand in one literal: those that come later, or behind a spread, cost many times as much. */
  const requestOf = (ctx: LoggedContext, maxBytes: number, source: string, event: string, token: string) => ({
    headers: ctx.req.headers,
    source,
    event,
    token,
    receivedAt: clock.now(),
    readBody: () => readBody(ctx, maxBytes),
    isCounted: false,
    startedAt: 0,
    onStored: (id: string) => void (ctx.state.eventId = id),
  });
  const postEvent: Handler = async (ctx, source = "", event = "") => {
    refuseDeclaredLength(ctx.req, config.maxBodyBytes);
    giveAnswer(ctx, await ingest.handle(requestOf(ctx, config.maxBodyBytes, decode(source), decode(event), "")));
  };
  // The length is judged only after the address is known.
  const postOfShop: Handler = async (ctx, token = "") =>
    giveAnswer(ctx, await ingest.handleShop(requestOf(ctx, Math.max(config.maxBodyBytes, maxShopBytes), "", "", token)));
  return {
    "/api/public/ingest/:source/:event": { OPTIONS: answerPreflight, POST: postEvent },
    "/api/public/in/:token": { OPTIONS: answerPreflight, POST: postOfShop },
    "/api/public/platform/webhook/:accountId": {
      GET: (ctx, named = "") => answerHandshake(ctx, named, context),
      POST: (ctx, named = "") => answerUpdates(ctx, named, context, readBody),
    },
    "/api/public/health": { GET: (ctx) => answerHealth(ctx, readiness) },
    "/api/public/ready": { GET: (ctx) => answerReady(ctx, readiness) },
    "/api/public/openapi.json": { GET: (ctx) => answerJson(ctx, 200, document) },
    [docsPath]: { GET: (ctx) => answerDocs(ctx, config) },
    "/": { GET: (ctx) => answerRoot(ctx, config) },
  };
}

/**
 * Answers every request by the route of its path; a stopping gateway takes nothing more. The router finds the route and no more: its chain of middleware, made
 * anew for each request, is a fiftieth of an event's time.
 */
function createRouting(context: GatewayContext, ingest: Takers, readiness: Readiness): (ctx: LoggedContext) => void | Promise<void> {
  const router = new Router({ sensitive: true, strict: true });
  const routes = routesOf(context, ingest, readiness);
  for (const [path, handlers] of Object.entries(routes)) router.register(path, Object.keys(handlers), () => undefined);
  return (ctx) => {
    const [route] = router.match(ctx.path, ctx.method).path;
    if (route === undefined) throw new RequestRefused("not_found");
    const path = String(route.path);
    ctx.state.route = nameOf(path);
    const handle = routes[path]?.[ctx.method === "HEAD" ? "GET" : ctx.method];
    if (handle === undefined) {
      ctx.set("Allow", route.methods.join(", "));
      throw new RequestRefused("method_not_allowed");
    }
    if (readiness.stopping && ctx.method === "POST") throw new RequestRefused("stopping");
    return handle(ctx, ...route.captures(ctx.path));
  };
}

/** A path's fixed part. */
const nameOf = (path: string): string => path.replace(/\/:.*/, "");

function giveAnswer(ctx: LoggedContext, { eventId, status, body, headers }: Answer): void {
  ctx.state.eventId = eventId;
  answerJson(ctx, status, body);
  if (headers) ctx.set(headers);
}

const decode = (segment: string): string => (segment.includes("%") ? orRefuse("bad_request", () => decodeURIComponent(segment)) : segment);

/** Shop systems post bodies up to this size, whatever the limit of events is. */
const maxShopBytes = 2 * 1024 * 1024;
