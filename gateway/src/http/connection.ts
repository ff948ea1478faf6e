import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createDeadlines } from "shared/server/deadlines";
import { closeAfter, clearRequests, type HttpServer, listen } from "shared/server/http-server";
import type { Logger } from "shared/server/logger";
import type { GatewayConfig } from "../config.ts";
import { RequestRefused, type RefusalName } from "../refusal.ts";
import type { TimeLimits } from "../time-limits.ts";
import { ClientGone, errorHeaders, errorResponse, type LoggedContext } from "./answer.ts";

/** More connections than sends in flight: each may wait for its answer. New ones beyond that are closed at once. */
const maxConnections = 10_000;

/** When stopping, a connection without a complete request is closed after this time. */
const unusedAfterMs = 1_000;

/** Listens with every limit set. Disposing it stops accepting, answers the requests in flight and closes every connection. */
export async function serve(app: RequestListener, config: GatewayConfig, log: Logger): Promise<HttpServer> {
  const { timeLimits } = config;
  const handler = clearRequests(app, (req, res) => refuseAndClose(req, res, "bad_request"));
  const http = await listen(handler, {
    host: config.host,
    port: config.port,
    portVariable: "GATEWAY_PORT",
    maxConnections,
  });
  http.server.setTimeout(timeLimits.socketIdleMs);
  Object.assign(http.server, {
    headersTimeout: timeLimits.headersMs,
    // Bodies have limits of their own; this one also ends those that nobody reads.
    requestTimeout: timeLimits.headersMs + timeLimits.bodyMs + timeLimits.discardMs,
    keepAliveTimeout: timeLimits.keepAliveMs,
    // What Node answers by itself has no body.
    requireHostHeader: false,
  });
  // `100 Continue` is sent when the body is about to be read: a request that is refused before never sends it.
  http.server.on("checkContinue", handler);
  http.server.on("checkExpectation", (req, res) => refuseAndClose(req, res, "expectation_failed"));
  const connections = watchConnections(http.server);
  answerBrokenRequests(http.server, connections, log);
  return {
    ...http,
    [Symbol.asyncDispose]: async () => {
      const unused = setTimeout(() => connections.closeUnused(), unusedAfterMs);
      await http[Symbol.asyncDispose]();
      clearTimeout(unused);
    },
  };
}

function refuseAndClose(req: IncomingMessage, res: ServerResponse, refusal: RefusalName): void {
  closeAfter(req.socket);
  req.resume();
  const response = errorResponse(new RequestRefused(refusal));
  res.writeHead(response.status, errorHeaders(response)).end(response.body);
}

/** After the answer the client may still be sending; closing at once could cost it the answer. */
const closeAfterMs = 1_000;

/** Answers requests that never reach the application: bytes that are no HTTP, headers too large or too slow, `CONNECT`. */
function answerBrokenRequests(server: Server, connections: Connections, log: Logger): void {
  // A parser that has failed reports every further piece of data as well.
  const answered = new WeakSet<Duplex>();
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    if (answered.has(stream)) return;
    answered.add(stream);
    const refusal = new RequestRefused(refusalOf[error.code ?? ""] ?? "bad_request");
    log.info({ refusal: refusal.refusal, code: error.code }, "broken request");
    answerInTurn(stream as Socket, connections, refusal, error.code);
  });
  server.on("connect", (_request: IncomingMessage, stream) => {
    // Node has removed its own listeners: without this one, a client that is gone by now would end the process.
    stream.on("error", () => stream.destroy());
    const last = connections.lastOf(stream as Socket);
    const refuse = (): void => end(stream as Socket, new RequestRefused("method_not_allowed"), { Allow: "GET, HEAD, OPTIONS, POST" });
    if (last === null) refuse();
    else last.res.once("close", refuse);
  });
}

/** Answers to earlier requests on the same connection go first; if the last of them is the broken one, it is answered as any other. */
function answerInTurn(socket: Socket, connections: Connections, refusal: RequestRefused, code: string | undefined): void {
  const last = connections.lastOf(socket);
  if (code === "ECONNRESET" || !socket.writable || (last === null && socket.bytesRead === 0)) socket.destroy();
  else if (last === null) end(socket, refusal);
  else if (!last.req.complete) breakBody(last.req, refusal);
  else last.res.once("close", () => end(socket, refusal));
}

const refusalOf: Partial<Record<string, RefusalName>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

function end(socket: Socket, refusal: RequestRefused, headers: Record<string, string> = {}): void {
  if (!socket.writable) return void socket.destroy();
  const response = errorResponse(refusal);
  const lines = Object.entries({ ...errorHeaders(response), ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}\r\n${lines.join("")}\r\n${response.body}`);
  setTimeout(() => socket.destroy(), closeAfterMs).unref();
}

type Connections = ReturnType<typeof watchConnections>;

/** Knows the last request of each connection: once it is answered, so are those before it. */
function watchConnections(server: Server) {
  /** Null once it is answered. */
  const open = new Map<Socket, Exchange | null>();
  server.on("connection", (socket) => {
    open.set(socket, null);
    socket.once("close", () => open.delete(socket));
  });
  // One listener for all responses: a closure for each would be made with every request.
  const end = function (this: ServerResponse): void {
    if (open.get(this.req.socket)?.res === this) open.set(this.req.socket, null);
  };
  const begin = (req: Exchange["req"], res: ServerResponse): void => {
    const previous = open.get(req.socket);
    // A client that waits for `100 Continue` but has already sent the next request has sent the body as well. Without the 100, Node would close the
    // connection behind the answer, and the next request would be acted on without an answer.
    if (previous?.req.headers.expect !== undefined && !previous.res.headersSent) previous.res.writeContinue();
    open.set(req.socket, { req, res });
    res.on("close", end);
  };
  for (const event of ["request", "checkContinue", "checkExpectation"] as const) server.prependListener(event, begin);
  return {
    /** The connection's last request, while it is not answered; pipelining makes it several. */
    lastOf: (socket: Socket): Exchange | null => open.get(socket) ?? null,
    /** Closes every connection that carries no request, also one on which nothing has ever been sent. */
    closeUnused: (): void => {
      for (const [socket, last] of open) if (last === null) socket.destroy();
    },
  };
}

/**
 * Sends an answer that did not wait for the whole body. Closing with bytes unread would reset the connection, and most clients would
 * then never see the answer: so the rest is discarded, within bounds, before the connection is closed.
 */
export async function answerEarly(ctx: LoggedContext, limits: TimeLimits): Promise<void> {
  const { req, res } = ctx;
  ctx.respond = false;
  ctx.set("Connection", "close");
  closeAfter(req.socket);
  if (ctx.method !== "HEAD" && typeof ctx.body === "string") res.write(ctx.body);
  else res.flushHeaders();
  if (!broken.has(req)) await discardRest(req, limits);
  res.end();
}

/** More than this of an unwanted body is not read: the client then sees a reset instead of the answer. */
const maxDiscardedBytes = 64 * 1024 * 1024;

const discardRest = async (req: IncomingMessage, limits: TimeLimits): Promise<void> =>
  new Promise((resolve) => {
    let bytes = 0;
    const done = (): void => {
      clearTimeout(total);
      clearTimeout(idle);
      req.off("data", onData);
      resolve();
    };
    const total = setTimeout(done, limits.discardMs);
    const idle = setTimeout(done, limits.discardIdleMs);
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      idle.refresh();
      if (bytes > maxDiscardedBytes) done();
    };
    req.on("data", onData).once("end", done).once("close", done).once("error", done);
    req.resume();
  });

export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

/** Requests whose body cannot be read any further, and why. */
const broken = new WeakMap<IncomingMessage, RequestRefused>();

/** Throws `body_too_large` when the request announces more than `maxBytes`. */
export function refuseDeclaredLength(req: IncomingMessage, maxBytes: number): void {
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) throw new RequestRefused("body_too_large");
}

/** Marks the rest of the request's body as lost: readers, present and later, fail with `refusal`. */
function breakBody(req: IncomingMessage, refusal: RequestRefused): void {
  broken.set(req, refusal);
  req.emit(breaking, refusal);
}

/** The event by which a request's reader learns that its body is lost. */
const breaking = Symbol("breaking");

/** Whoever waits for a body. */
interface Waiting {
  resolve(body: Buffer): void;
  reject(error: unknown): void;
}

export type ReadBody = ReturnType<typeof createReadBody>;

export function createReadBody({ bodyMs, bodyIdleMs }: Pick<TimeLimits, "bodyIdleMs" | "bodyMs">) {
  const deadlines = createDeadlines();
  /**
   * The body's exact bytes; sends `100 Continue` first when the client waits for it. Throws `body_too_large` as soon as more than `maxBytes` are announced or
   * have come, `request_timeout` when they come too slowly, `bad_request` when they are not framed as HTTP says, `ClientGone` when they end early.
   */
  return ({ req, res }: Exchange, maxBytes: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      refuseDeclaredLength(req, maxBytes);
      const known = broken.get(req);
      if (known !== undefined) throw known;
      const wholeEndsAt = performance.now() + bodyMs;
      let waiting: Waiting | null = { resolve, reject };
      let pieces: Buffer[] = [];
      let bytes = 0;
      const limited = {
        /** The earlier of the end of the pause after the last piece and the end of the whole. */
        endsAt: performance.now() + bodyIdleMs,
        place: -1,
        expire: () => breakBody(req, new RequestRefused("request_timeout")),
      };
      /** Lets go of the body and of whoever waits for it, as the request holds its listeners until it is answered. Null when it was over before. */
      const end = (): Waiting | null => {
        const waited = waiting;
        deadlines.remove(limited);
        [waiting, pieces] = [null, []];
        return waited;
      };
      const fail = (error: unknown): void => end()?.reject(error);
      const lose = (cause?: unknown): void => (waiting === null ? undefined : fail(new ClientGone(cause)));
      const receive = (piece: Buffer): void => {
        bytes += piece.length;
        if (bytes > maxBytes) {
          req.off("data", receive).pause();
          fail(new RequestRefused("body_too_large"));
        } else if (waiting !== null) pieces.push(piece);
        limited.endsAt = Math.min(performance.now() + bodyIdleMs, wholeEndsAt);
      };
      const complete = (): void => {
        const [first, ...more] = pieces;
        const body = first !== undefined && more.length === 0 ? first : Buffer.concat(pieces);
        end()?.resolve(body);
      };
      if (req.destroyed) return lose();
      if (req.headers.expect !== undefined) res.writeContinue();
      deadlines.add(limited);
      req.on(breaking, fail).on("data", receive).on("error", lose).on("close", lose).on("end", complete);
    });
}
