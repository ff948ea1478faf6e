import type { RequestListener } from "node:http";
import Router from "@koa/router";
import Koa, { type Context, type Middleware, type Next } from "koa";
import { accountRoutes } from "./account-calls.ts";
import { onAnyNode, onBusinessAccount } from "./authenticate.ts";
import type { SandboxContext } from "./context.ts";
import { GraphError, refusal, unknownObject } from "./graph-error.ts";
import { type Answer, ControlError, readBody, type Route, type SandboxRequest } from "./http.ts";
import { inboxRoutes } from "./inbox.ts";
import { uploadMedia, beginUpload } from "./nodes/files.ts";
import {
  debugToken,
  listPhoneNumbers,
  readNode,
  listSubscribedApps,
  subscribeApp,
  unsubscribeApp,
  setSubscription,
  writeNode,
} from "./nodes/nodes.ts";
import { sendMessage } from "./send/send.ts";
import { createTemplate, deleteTemplates, listTemplates } from "./templates/calls.ts";
import { changeTemplate, unpauseTemplate } from "./templates/control.ts";

/** Answers every request of the sandbox; what a handler throws becomes the platform's error body. */
export function createApp(context: SandboxContext): RequestListener {
  const router = new Router<State>({ sensitive: true });
  for (const [method, path, handler] of routes) {
    router.register(path, [method], async (ctx) => send(ctx, await handler(context, requestOf(ctx))));
  }
  const app = new Koa<State>();
  // Koa reports here only connections that broke while their answer was written.
  app.on("error", (error: unknown) => context.log.debug({ err: error }, "answer not delivered"));
  app
    .use(answerErrors(context))
    .use(takeVersion)
    .use(router.routes() as unknown as Middleware<State>)
    .use(refuseUnrouted);
  const answer = app.callback();
  return (request, response) => void answer(request, response);
}

/** Answers a request whose end is unclear. */
export const refuseUnclear: RequestListener = (_request, response) => {
  response.statusCode = 400;
  response.setHeader("Connection", "close");
  response.setHeader("Content-Type", jsonType);
  response.end(JSON.stringify(refusal(100, "The request has no clear end").body));
};

/** The platform's calls without their version segment, and under `/_sandbox` the sandbox's own. */
const routes: Route[] = [
  ["POST", "/:node/messages", sendMessage],
  ["GET", "/:node/message_templates", onBusinessAccount(listTemplates)],
  ["POST", "/:node/message_templates", onBusinessAccount(createTemplate)],
  ["DELETE", "/:node/message_templates", onBusinessAccount(deleteTemplates)],
  ["POST", "/:node/unpause", onAnyNode(unpauseTemplate)],
  ["GET", "/:node/phone_numbers", onBusinessAccount(listPhoneNumbers)],
  ["GET", "/:node/subscribed_apps", onBusinessAccount(listSubscribedApps)],
  ["POST", "/:node/subscribed_apps", onBusinessAccount(subscribeApp)],
  ["DELETE", "/:node/subscribed_apps", onBusinessAccount(unsubscribeApp)],
  ["POST", "/:node/subscriptions", setSubscription],
  ["POST", "/:node/uploads", beginUpload],
  ["POST", "/:node/media", onAnyNode(uploadMedia)],
  ["GET", "/debug_token", debugToken],
  ...accountRoutes,
  ...inboxRoutes,
  ["PATCH", "/_sandbox/templates/:id", changeTemplate],
  ["GET", "/:node", onAnyNode(readNode)],
  ["POST", "/:node", onAnyNode(writeNode)],
];

interface State {
  /** Major version of the path, null when it names none. */
  version: number | null;
}

const answerErrors =
  ({ log }: SandboxContext): Middleware<State> =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const callerLeft = ctx.req.destroyed && !ctx.req.complete;
      send(ctx, callerLeft ? "reset" : errorAnswer(error, log));
    }
  };

function errorAnswer(error: unknown, log: SandboxContext["log"]): Answer {
  if (error instanceof GraphError) return { status: error.status, json: error.body };
  if (error instanceof ControlError) return { status: error.status, json: { error: error.message } };
  log.error({ err: error }, "the sandbox could not answer");
  const unexpected = refusal(131000);
  return { status: unexpected.status, json: unexpected.body };
}

const versionPattern = /^\/v(\d{1,3})\.\d+(?=[/?]|$)/;

/** Routes are the same in every version, so the router sees the path without it. Throws when the path cannot be decoded. */
async function takeVersion(ctx: Context & { state: State }, next: Next): Promise<void> {
  const [prefix = "", version] = versionPattern.exec(ctx.url) ?? [];
  ctx.url = ctx.url.slice(prefix.length).replace(/^(?=\?|$)/, "/");
  ctx.state.version = version === undefined ? null : Number(version);
  if (!isReadable(ctx.url)) throw unknownPath(ctx.url);
  await next();
}

function isReadable(url: string): boolean {
  try {
    return url.startsWith("/") && decodeURIComponent(url.split("?", 1)[0] ?? "") !== "";
  } catch {
    return false;
  }
}

function refuseUnrouted(ctx: Context): never {
  const known = ((ctx["matched"] ?? []) as unknown[]).length > 0;
  if (ctx.path.startsWith("/_sandbox")) throw new ControlError(known ? 405 : 404, `No call ${ctx.method} ${ctx.path}`);
  throw known ? unknownObject(ctx.path.split("/")[1] ?? "", ctx.method) : unknownPath(ctx.path);
}

const unknownPath = (path: string) => new GraphError(400, { message: `Unknown path components: ${path}`, code: 2500 });

function requestOf(ctx: Context & { state: State; params: Record<string, string> }): SandboxRequest {
  return {
    method: ctx.method,
    path: ctx.path,
    version: ctx.state.version,
    params: ctx.params,
    query: new URLSearchParams(ctx.querystring),
    headers: ctx.headers,
    origin: `http://${ctx.host || "localhost"}`,
    readBody: (limit) => readBody(ctx.req, limit),
  };
}

const jsonType = "application/json; charset=UTF-8";

function send(ctx: Context, answer: Answer): void {
  if (answer === "reset") {
    ctx.respond = false;
    ctx.res.socket?.resetAndDestroy();
    return;
  }
  const html = "html" in answer;
  ctx.status = answer.status ?? 200;
  ctx.set("Content-Type", html ? "text/html" : jsonType);
  if ("headers" in answer) ctx.set(answer.headers ?? {});
  ctx.body = html ? answer.html : JSON.stringify(answer.json);
}
