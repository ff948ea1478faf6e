import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { getTRPCErrorShape, TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import Koa, { type Context as KoaContext, type Middleware } from "koa";
import getRawBody from "raw-body";
import type { AdminContext } from "../context.ts";
import { appRouter } from "../router.ts";
import { auditCsv, csvRoute, notificationsCsv } from "./csv.ts";
import { type DashboardFile, dashboardRoute } from "./dashboard.ts";
import { mediaRoute } from "./media.ts";
import { answerErrors, refuseLongHeads } from "./refusals.ts";
import { requestContext } from "./request-context.ts";
import { securityHeaders } from "./security-headers.ts";

/** The middleware of every request, in order. */
export function createApp(context: AdminContext, dashboard: Map<string, DashboardFile>): Koa {
  const app = new Koa();
  app.on("error", (error: unknown) => context.log.warn({ err: error }, "connection failed"));
  app.use(securityHeaders(context.config.publicAdminUrl));
  app.use(answerErrors(context.log));
  app.use(refuseLongHeads);
  app.use(healthRoute(context));
  app.use(trpcRoute(context));
  app.use(csvRoute(context, auditCsv));
  app.use(csvRoute(context, notificationsCsv));
  app.use(mediaRoute(context));
  app.use(dashboardRoute(dashboard));
  return app;
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

const endpoint = "/trpc";
/** A preview's payload may be as large as an event. */
const maxBodyBytes = 4 * 1_048_576;
const maxBatchSize = 100;

/** The procedures under /trpc. Queries may also be POST, since a preview's payload may be too long for a URL. */
function trpcRoute(context: AdminContext): Middleware {
  return async (koa, next) => {
    if (koa.path !== endpoint && !koa.path.startsWith(`${endpoint}/`)) return next();
    koa.set("cache-control", "no-store");
    const request = await toRequest(koa);
    if (request instanceof TRPCError) return refuse(koa, request);
    const response = await fetchRequestHandler({
      endpoint,
      req: request,
      router: appRouter,
      allowMethodOverride: true,
      maxBatchSize,
      createContext: () => requestContext(context, koa),
      onError: ({ error, path }) => logError(context, error, path),
    });
    await writeAnswer(koa, response);
  };
}

/** Aborts when the client is gone. */
function goneSignal({ res }: KoaContext): AbortSignal {
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  return gone.signal;
}

async function toRequest(koa: KoaContext): Promise<Request | TRPCError> {
  if (!decodes(koa.path)) return new TRPCError({ code: "BAD_REQUEST", message: "The path is not percent-encoded UTF-8" });
  const url = new URL(koa.url, "http://localhost");
  const headers = Object.fromEntries(["accept", "trpc-accept"].map((name) => [name, koa.get(name)]).filter(([, value]) => value !== ""));
  if (koa.method === "GET") return new Request(url, { headers, signal: goneSignal(koa) });
  if (koa.method !== "POST") {
    koa.set("allow", "GET, POST");
    return new TRPCError({ code: "METHOD_NOT_SUPPORTED", message: "Queries are sent with GET, mutations with POST" });
  }
  const body = await readBody(koa);
  if (body instanceof TRPCError) return body;
  // Browsers send other types from foreign pages without a preflight.
  if (body.length > 0 && !koa.is("application/json")) {
    return new TRPCError({ code: "UNSUPPORTED_MEDIA_TYPE", message: "Send the input as Content-Type: application/json" });
  }
  // An absent input becomes `{}`.
  return new Request(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: body.length > 0 ? body : "{}",
  });
}

function decodes(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

async function readBody(koa: KoaContext): Promise<Buffer<ArrayBuffer> | TRPCError> {
  try {
    const length = koa.get("content-length");
    return Buffer.from(await getRawBody(koa.req, { limit: maxBodyBytes, length: length === "" ? null : length }));
  } catch (cause) {
    koa.set("connection", "close");
    const isTooLarge = cause instanceof Error && "type" in cause && cause.type === "entity.too.large";
    if (!isTooLarge) return new TRPCError({ code: "BAD_REQUEST", message: "The body ended too early", cause });
    return new TRPCError({ code: "PAYLOAD_TOO_LARGE", message: `The body has more than ${maxBodyBytes} bytes`, cause });
  }
}

async function writeAnswer(koa: KoaContext, response: Response): Promise<void> {
  koa.status = response.status;
  for (const [name, value] of response.headers) koa.set(name, value);
  const isWhole = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (isWhole) koa.body = await response.text();
  else if (response.body !== null) koa.body = Readable.fromWeb(response.body as ReadableStream);
  // Set last, since Koa guesses a type from the body.
  koa.set("content-type", response.headers.get("content-type") ?? "application/json");
}

function refuse(koa: KoaContext, error: TRPCError): void {
  const shape = getTRPCErrorShape({
    config: appRouter._def._config,
    error,
    type: "unknown",
    path: undefined,
    input: undefined,
    ctx: undefined,
  });
  koa.status = shape.data.httpStatus;
  koa.body = { error: shape };
}

function logError({ log }: AdminContext, error: TRPCError, path: string | undefined): void {
  if (error.code === "INTERNAL_SERVER_ERROR") log.error({ err: error.cause ?? error, path }, "procedure failed");
  else log.debug({ code: error.code, path }, "refused");
}
