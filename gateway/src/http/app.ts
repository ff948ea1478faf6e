import type { RequestListener } from "node:http";
import Koa from "koa";
import type { Readiness } from "shared/db/readiness";
import { createHostCheck } from "shared/server/hosts";
import type { GatewayContext } from "../context.ts";
import { RequestRefused } from "../refusal.ts";
import { answerError, commonHeaders, createAccessLog, type LoggedContext, type LoggedState, respond } from "./answer.ts";
import { answerEarly } from "./connection.ts";
import { createRouting, type Takers } from "./routes.ts";

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
