import { setMaxListeners } from "node:events";
import type { RequestListener, IncomingMessage } from "node:http";
import Router from "@koa/router";
import Koa, { type Context, type Middleware, type Next } from "koa";
import { attempt } from "../core/text.ts";
import { connect } from "../db/connect.ts";
import { requireMigrated } from "../db/migrate.ts";
import type { Pool } from "../db/statement.ts";
import { isSameSecret } from "../secrets/signature.ts";
import { createHostCheck, isLoopback, withoutMapping } from "../server/hosts.ts";
import { clearRequests, listen } from "../server/http-server.ts";
import type { Logger } from "../server/logger.ts";
import { requireDatabase } from "../server/startup.ts";
import { accountRoutes, updateAccount } from "./account-calls.ts";
import { loadAccounts, type Accounts } from "./accounts.ts";
import { startCourier } from "./callbacks/courier.ts";
import { defaultOptions, type readSandboxConfig, type SandboxOptions } from "./config.ts";
import { ControlError, GraphError, refusal, unknownObject } from "./graph-error.ts";
import { type Answer, type Route, type SandboxContext, onApp, onAnyNode, onBusinessAccount, onPhoneNumber, readBody } from "./http.ts";
import { inboxRoutes } from "./inbox.ts";
import { createRateLimits } from "./limits.ts";
import { uploadMedia, beginUpload } from "./nodes/files.ts";
import {
  debugToken,
  listPhoneNumbers,
  readNode,
  listSubscribedApps,
  subscribeApp,
  unsubscribeApp,
  listSubscriptions,
  setSubscription,
  writeNode,
  deleteNode,
} from "./nodes/nodes.ts";
import { blockUsers, deregister, forgetContact, listBlocked, register, unblockUsers } from "./nodes/number-calls.ts";
import { peopleRoutes } from "./people-calls.ts";
import { loadPeople } from "./people.ts";
import { createMessageWriter } from "./send/message-writer.ts";
import { sendMarketing, sendMessage } from "./send/send.ts";
import { createUtilityCap } from "./send/utility-cap.ts";
import {
  archiveTemplates,
  createTemplate,
  deleteTemplates,
  listTemplates,
  unarchiveTemplates,
  upsertTemplates,
} from "./templates/calls.ts";
import { changeTemplate, unpauseTemplate } from "./templates/control.ts";
import { loadTemplates } from "./templates/store.ts";

export type SandboxConfig = Omit<ReturnType<typeof readSandboxConfig>, "allowedHosts" | "logLevel"> & {
  /** Further names under which the sandbox answers. */
  allowedHosts?: readonly string[] | undefined;
  log: Logger;
  options?: Partial<SandboxOptions> | undefined;
};

/**
 * Starts the stand-in for the messaging platform on a migrated database. Accounts and templates are cached in memory, so only one process may
 * serve a database. Disposing it ends hanging answers, lets the others finish and keeps pending callbacks for the next start.
 * Throws a `ConfigurationError` when the database cannot be used or the port is taken.
 */
export async function startSandbox(config: SandboxConfig) {
  const sql = connect(config.databaseUrl, { max: 8, applicationName: "tidings-sandbox" });
  const stop = new AbortController();
  // Every hanging answer adds a listener.
  setMaxListeners(0, stop.signal);
  try {
    await requireDatabase(sql);
    await requireMigrated(sql);
    return await open(config, sql, stop);
  } catch (error) {
    stop.abort();
    await sql.end({ timeout: 5 });
    throw error;
  }
}

async function open(config: SandboxConfig, sql: Pool, stop: AbortController) {
  const { host, port, log } = config;
  const options = { ...defaultOptions, ...config.options };
  const accounts = await loadAccounts(sql, config.key, log);
  const templates = await loadTemplates(sql, options.now);
  const courier = await startCourier({ sql, log, accounts, options, stopping: stop.signal });
  const people = await loadPeople(sql, { key: config.key, log, now: options.now });
  const [limits, utilityCap] = [createRateLimits(), createUtilityCap(sql)];
  const memory = { accounts, templates, people, limits, utilityCap, refusedOnce: new Set<string>() };
  const context = { sql, log, options, courier, writeMessage: createMessageWriter(sql, log), stopping: stop.signal, ...memory };
  const server = await listen(clearRequests(createApp(context, config), refuseUnclear), { host, port, portVariable: "SANDBOX_PORT" });
  return {
    url: server.url,
    port: server.port,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      stop.abort();
      await server[Symbol.asyncDispose]();
      await courier[Symbol.asyncDispose]();
      await sql.end({ timeout: 5 });
    },
  };
}

/** Answers every request of the sandbox; the platform's error body replaces an error that a handler throws. */
function createApp(context: SandboxContext, { host, allowedHosts = [], controlToken }: SandboxConfig): RequestListener {
  const isOurHost = createHostCheck([host, ...allowedHosts]);
  const router = new Router<State>({ sensitive: true });
  for (const [method, path, handler] of routes)
    router.register(path, [method], async (ctx) => {
      if (path.startsWith("/_sandbox/")) requireControl(ctx.req, method, path, controlToken, context.accounts);
      send(ctx, await handler(context, requestOf(ctx)));
    });
  const app = new Koa<State>();
  // Koa reports here only connections that broke while their answer was written.
  app.on("error", (error: unknown) => context.log.debug({ err: error }, "answer not delivered"));
  app
    .use(answerErrors(context))
    .use(async (ctx, next) => {
      if (!isOurHost(ctx.req.headers.host)) throw new ControlError(421, misdirected);
      await next();
    })
    .use(takeVersion)
    .use(router.routes() as unknown as Middleware<State>)
    .use(refuseUnrouted);
  const answer = app.callback();
  return (request, response) => void answer(request, response);
}

const misdirected = "The sandbox does not answer under this name: use its address, or add the name to ALLOWED_HOSTS";

/** Answers a request whose end is unclear. */
const refuseUnclear: RequestListener = (_request, response) => {
  response.statusCode = 400;
  response.setHeader("Connection", "close");
  response.setHeader("Content-Type", jsonType);
  response.end(JSON.stringify(refusal(100, "The request has no clear end").body));
};

/** The path that tells programs that the sandbox serves: it needs no token and tells nothing else. */
const readinessPath = "/_sandbox/ready";

/** The platform's calls without their version segment, and under `/_sandbox` the sandbox's own. */
const routes: Route[] = [
  ["POST", "/:node/messages", sendMessage],
  ["POST", "/:node/marketing_messages", sendMarketing],
  ["GET", "/:node/message_templates", onBusinessAccount(listTemplates)],
  ["POST", "/:node/message_templates", onBusinessAccount(createTemplate)],
  ["DELETE", "/:node/message_templates", onBusinessAccount(deleteTemplates)],
  ["POST", "/:node/message_templates/archive", onBusinessAccount(archiveTemplates)],
  ["POST", "/:node/message_templates/unarchive", onBusinessAccount(unarchiveTemplates)],
  ["POST", "/:node/upsert_message_templates", onBusinessAccount(upsertTemplates)],
  ["POST", "/:node/unpause", onAnyNode(unpauseTemplate)],
  ["GET", "/:node/phone_numbers", onBusinessAccount(listPhoneNumbers)],
  ["GET", "/:node/subscribed_apps", onBusinessAccount(listSubscribedApps)],
  ["POST", "/:node/subscribed_apps", onBusinessAccount(subscribeApp)],
  ["DELETE", "/:node/subscribed_apps", onBusinessAccount(unsubscribeApp)],
  ["GET", "/:node/subscriptions", onApp(listSubscriptions)],
  ["POST", "/:node/subscriptions", onApp(setSubscription)],
  ["POST", "/:node/uploads", onApp(beginUpload)],
  ["POST", "/:node/media", onPhoneNumber(uploadMedia)],
  ["POST", "/:node/register", onPhoneNumber(register)],
  ["POST", "/:node/deregister", onPhoneNumber(deregister)],
  ["GET", "/:node/block_users", onPhoneNumber(listBlocked)],
  ["POST", "/:node/block_users", onPhoneNumber(blockUsers)],
  ["DELETE", "/:node/block_users", onPhoneNumber(unblockUsers)],
  ["DELETE", "/:node/contact_book", onPhoneNumber(forgetContact)],
  ["GET", "/debug_token", debugToken],
  ["GET", readinessPath, () => ({ json: { status: "ok" } })],
  ...accountRoutes,
  ...inboxRoutes,
  ...peopleRoutes,
  ["POST", "/_sandbox/account-updates", updateAccount],
  ["PATCH", "/_sandbox/templates/:id", changeTemplate],
  ["GET", "/:node", onAnyNode(readNode)],
  ["POST", "/:node", onAnyNode(writeNode)],
  ["DELETE", "/:node", onAnyNode(deleteNode)],
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

const versionPattern = /^\/v(\d{1,3})\.(\d+)(?=[/?]|$)/;

/** Versions of the platform's API, all of them with the minor version 0. */
const [firstVersion, lastVersion] = [13, 26];

/** Takes the version off the path: routes are the same in every version. Throws when there is no such version, or the path cannot be decoded. */
async function takeVersion(ctx: Context & { state: State }, next: Next): Promise<void> {
  const [prefix = "", version, minor] = versionPattern.exec(ctx.url) ?? [];
  const isKnown = version === undefined || (Number(version) >= firstVersion && Number(version) <= lastVersion && minor === "0");
  if (!isKnown) throw unknownPath(ctx.url);
  ctx.url = ctx.url.slice(prefix.length).replace(/^(?=\?|$)/, "/");
  ctx.state.version = version === undefined ? null : Number(version);
  if (!isReadable(ctx.url)) throw unknownPath(ctx.url);
  await next();
}

const isReadable = (url: string) => url.startsWith("/") && attempt(() => decodeURIComponent(url.split("?", 1)[0] ?? ""), "") !== "";

function refuseUnrouted(ctx: Context): never {
  const known = ((ctx["matched"] ?? []) as unknown[]).length > 0;
  if (ctx.path.startsWith("/_sandbox")) throw new ControlError(known ? 405 : 404, `No call ${ctx.method} ${ctx.path}`);
  throw known ? unknownObject(ctx.path.split("/")[1] ?? "", ctx.method) : unknownPath(ctx.path);
}

const unknownPath = (path: string) => new GraphError(400, { message: `Unknown path components: ${path}`, code: 2500 });

const requestOf = (ctx: Context & { state: State; params: Record<string, string> }) => ({
  method: ctx.method,
  path: ctx.path,
  version: ctx.state.version,
  params: ctx.params,
  query: new URLSearchParams(ctx.querystring),
  headers: ctx.headers,
  origin: `http://${ctx.host || "localhost"}`,
  readBody: (limit: number) => readBody(ctx.req, limit),
});

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

/**
 * The control token opens every call. While the demo's account is the only one, its messages are also open to callers on this machine. A body must be
 * declared as JSON, which no form of a foreign page can do. What it answers throws a `ControlError`: 401 without the token, 415 for a body that is not JSON.
 */
function requireControl(request: IncomingMessage, method: string, path: string, controlToken: string, accounts: Accounts): void {
  if (path === readinessPath) return;
  const { authorization = "" } = request.headers;
  const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
  const isKnown = isSameSecret(given, controlToken);
  if (!isKnown && !(isInbox(method, path) && isDemoAlone(accounts) && comesFromHere(request))) throw new ControlError(401, missingToken);
  if (hasBody(request) && !/^application\/json *(;|$)/i.test(request.headers["content-type"] ?? ""))
    throw new ControlError(415, "Send the body as JSON, with Content-Type: application/json");
}

const missingToken = "This call needs the header Authorization: Bearer with the token in SANDBOX_CONTROL_TOKEN";

const isInbox = (method: string, path: string): boolean => path === "/_sandbox/messages" && ["GET", "HEAD", "DELETE"].includes(method);

function isDemoAlone(accounts: Accounts): boolean {
  const [first, ...others] = accounts.all();
  return first?.demo === true && others.length === 0;
}

/** Whether a request comes directly from this machine: a proxy on it may speak for anybody. */
const comesFromHere = ({ headers, socket }: IncomingMessage): boolean =>
  isLoopback(withoutMapping(socket.remoteAddress ?? "")) &&
  ["x-forwarded-for", "forwarded", "via"].every((name) => headers[name] === undefined);

const hasBody = ({ headers }: IncomingMessage) => headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
