import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { getTRPCErrorFromUnknown, TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import type { Middleware, Context as KoaContext } from "koa";
import getRawBody from "raw-body";
import { measureJson, mostJsonValues } from "shared/core/json";
import { attempt } from "shared/core/text";
import { say } from "shared/core/wording";
import { createLargeTurns, largeBytes } from "shared/db/batch/large-turns";
import type { AdminContext, RequestContext } from "../context.ts";
import { appRouter } from "../router.ts";
import { invalidInput, Refusal, RetryLater, tooManyChanges, translateError } from "../trpc/errors.ts";
import { shapeOf } from "../trpc/trpc.ts";
import { goneSignal, requestContext } from "./request-context.ts";

const endpoint = "/trpc";
/** A preview's payload may be as large as an event. */
const maxBodyBytes = 4 * 1_048_576;
/** The limit for callers who are not signed in. */
const maxStrangersBytes = 65_536;
export const maxBatchSize = 20;

export const tooManyCalls = (): TRPCError => new Refusal("BAD_REQUEST", say("A batch has at most {most} calls", { most: maxBatchSize }));

/** The procedures under /trpc. Queries may also be POST, since a preview's payload may be too long for a URL. */
export function trpcRoute(context: AdminContext): Middleware {
  return async (koa, next) => {
    if (koa.path !== endpoint && !koa.path.startsWith(`${endpoint}/`)) return next();
    await answer(koa, await call(context, koa, async (maxBytes) => toRequest(koa, maxBytes)));
  };
}

/** What a request is to tRPC, with a body of at most so many bytes. @throws TRPCError */
export type ReadRequest = (maxBytes: number) => Promise<Request>;

/** Answers a call as tRPC does, refused ones too. */
export async function call(context: AdminContext, koa: KoaContext, read: ReadRequest): Promise<Response> {
  koa.set("cache-control", "no-store");
  let called: Awaited<ReturnType<typeof toCall>>;
  try {
    called = await toCall(context, koa, read);
  } catch (error) {
    if (!(error instanceof TRPCError)) throw error;
    logError(context, error, koa.path);
    return refuse(error);
  }
  const { request, caller } = called;
  return await fetchRequestHandler({
    endpoint,
    req: request,
    router: appRouter,
    allowMethodOverride: true,
    maxBatchSize,
    createContext: async ({ info }) => {
      refuseBatch(info.calls.map(({ path }) => path));
      return Promise.resolve(caller());
    },
    responseMeta: ({ errors }) => ({ headers: retryAfter(errors) }),
    onError: ({ error, path }) => logError(context, error, path),
  });
}

/** Procedures that check a secret: they are refused in a batch, which could try many secrets at once. */
const calledAlone = new Set(
  Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>)
    .filter(([path, { _def }]) => _def.type === "mutation" && (path.startsWith("auth.") || path === "users.acceptInvite"))
    .map(([path]) => path),
);

/** `paths`: as tRPC has read them, however the URL spells them. @throws TRPCError BAD_REQUEST */
function refuseBatch(paths: readonly string[]): void {
  const found = paths.length > 1 ? paths.find((path) => calledAlone.has(path)) : undefined;
  if (found !== undefined) throw new Refusal("BAD_REQUEST", say("{found} is not part of a batch: call it alone", { found }));
}

function retryAfter(errors: readonly TRPCError[]): Record<string, string> {
  const cause = errors.map((error) => error.cause).find((each) => each instanceof RetryLater);
  return cause === undefined ? {} : { "retry-after": String(cause.told) };
}

/** The request and its caller, which decides how large it may be. tRPC answers a fault of the caller, as a stream too. @throws TRPCError for one of the request */
async function toCall(context: AdminContext, koa: KoaContext, read: ReadRequest) {
  if (attempt(() => decodeURIComponent(koa.path), null) === null)
    throw new Refusal("BAD_REQUEST", say("The path is not percent-encoded UTF-8"));
  if (koa.query["batch"] === "1" && decodeURIComponent(koa.path).split(",").length > maxBatchSize) throw tooManyCalls();
  const [found] = await Promise.allSettled([requestContext(context, koa)]);
  const known = found.status === "fulfilled" ? found.value.caller : null;
  koa.state["accountId"] = known?.accountId;
  const request = await read(known === null ? maxStrangersBytes : maxBodyBytes);
  const caller = (): RequestContext => {
    if (found.status === "rejected") throw translateError(getTRPCErrorFromUnknown(found.reason));
    return found.value;
  };
  return { request, caller };
}

async function toRequest(koa: KoaContext, maxBytes: number): Promise<Request> {
  const url = new URL(koa.url, "http://localhost");
  const headers = Object.fromEntries(["accept", "trpc-accept"].map((name) => [name, koa.get(name)]).filter(([, value]) => value !== ""));
  if (koa.method === "GET") {
    refuseCostly(url.searchParams.get("input") ?? "");
    return new Request(url, { headers, signal: goneSignal(koa) });
  }
  if (koa.method !== "POST") throw wrongMethod(koa, "GET, POST");
  return await postOf(koa, url, maxBytes, headers);
}

/** The input that was posted. @throws TRPCError */
export async function postOf(koa: KoaContext, url: URL, maxBytes: number, headers: Record<string, string> = {}): Promise<Request> {
  const body = await readBody(koa, maxBytes);
  // Browsers send other types from foreign pages without a preflight.
  if (body.length > 0 && !koa.is("application/json"))
    throw new Refusal("UNSUPPORTED_MEDIA_TYPE", say("Send the input as Content-Type: application/json"));
  return callWith(url, body.length > 0 ? body.toString() : "{}", { headers });
}

/** The call with an input as JSON; an absent one becomes `{}`. @throws TRPCError BAD_REQUEST */
export function callWith(url: URL, input: string, { headers, signal }: Pick<RequestInit, "signal"> & { headers?: object } = {}): Request {
  refuseCostly(input);
  return new Request(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: input,
    ...(signal && { signal }),
  });
}

export function wrongMethod(koa: KoaContext, allowed: string): TRPCError {
  koa.set("allow", allowed);
  return new Refusal("METHOD_NOT_SUPPORTED", say("Queries are sent with GET, mutations with POST"));
}

/** Nested deeper than any input; code that follows the nesting would run out of stack. */
const mostLevels = 100;

/** Refuses a text that would hold the server up as soon as it is read as JSON. @throws TRPCError BAD_REQUEST */
export function refuseCostly(json: string): void {
  const { levels, values } = measureJson(json);
  if (levels > mostLevels)
    throw new Refusal(
      "BAD_REQUEST",
      say("The input is nested deeper than {most} levels: send a payload as its JSON text", { most: mostLevels }),
    );
  if (values > mostJsonValues) throw invalidInput([{ path: [], said: say("Has too many values") }]);
}

/** @throws TRPCError BAD_REQUEST, PAYLOAD_TOO_LARGE */
export async function readBody(koa: KoaContext, limit: number): Promise<Buffer<ArrayBuffer>> {
  let body: Buffer<ArrayBuffer>;
  try {
    const length = koa.get("content-length");
    body = Buffer.from(await getRawBody(koa.req, { limit, length: length === "" ? null : length }));
  } catch (cause) {
    koa.set("connection", "close");
    const isTooLarge = cause instanceof Error && "type" in cause && cause.type === "entity.too.large";
    if (!isTooLarge) throw new Refusal("BAD_REQUEST", say("The body ended too early"), cause);
    throw new Refusal("PAYLOAD_TOO_LARGE", say("The body has more than {limit} bytes", { limit }), cause);
  }
  if (body.length > largeBytes) await takeTurn(koa);
  return body;
}

const enterTurn = createLargeTurns(10_000, tooManyChanges);

/** How long a large request keeps others waiting: reading it holds the server up, and the rest of it may be a long wait for the database. */
const turnMs = 1_000;

/** The turn of the caller's account: strangers send no large bodies. */
async function takeTurn(koa: KoaContext): Promise<void> {
  const leave = await enterTurn(String(koa.state["accountId"]));
  if (koa.socket.destroyed) return leave();
  koa.res.once("close", leave);
  setTimeout(leave, turnMs).unref();
}

async function answer(koa: KoaContext, response: Response): Promise<void> {
  koa.status = response.status;
  for (const [name, value] of response.headers) koa.set(name, value);
  const isWhole = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (isWhole) koa.body = await packed(koa, await response.text());
  else if (response.body !== null) koa.body = Readable.fromWeb(response.body as ReadableStream);
  // The type is set last, since Koa guesses one from the body.
  koa.set("content-type", response.headers.get("content-type") ?? "application/json");
}

/** Answers that are worth packing, in characters. What shows a new secret is shorter, so that no length tells of one. */
const leastPacked = 2_000;
const pack = promisify(gzip);

/** The answer, packed for callers that read it so: the rows of a list are much alike. */
export async function packed(koa: KoaContext, text: string): Promise<string | Buffer> {
  koa.vary("accept-encoding");
  if (text.length < leastPacked || koa.acceptsEncodings("gzip", "identity") !== "gzip") return text;
  koa.set("content-encoding", "gzip");
  return await pack(text);
}

function refuse(error: TRPCError): Response {
  const shape = shapeOf(error);
  return Response.json({ error: shape }, { status: shape.data.httpStatus, headers: retryAfter([error]) });
}

function logError({ log }: AdminContext, error: TRPCError, path: string | undefined): void {
  if (error.code === "INTERNAL_SERVER_ERROR") log.error({ err: error.cause ?? error, path }, "procedure failed");
  else log.debug({ code: error.code, path }, "refused");
}
