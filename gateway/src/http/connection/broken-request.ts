import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "shared/server/logger";
import { Refusal, type RefusalName } from "../../ingest/refusal.ts";
import { errorHeaders, errorResponse } from "../error-response.ts";
import type { Connections } from "./connections.ts";
import { breakBody } from "./raw-body.ts";

/** After the answer the client may still be sending; closing at once could cost it the answer. */
const CLOSE_AFTER_MS = 1_000;

/** Answers what never becomes a request that the application sees: bytes that are no HTTP, headers too large or too slow, `CONNECT`. */
export const answerBrokenRequests = (server: Server, connections: Connections, log: Logger): void => {
  // A parser that has failed reports every further piece of data as well.
  const answered = new WeakSet<Duplex>();
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    if (answered.has(stream)) return;
    answered.add(stream);
    const refusal = new Refusal(refusalOf(error.code));
    log.info({ refusal: refusal.refusal, code: error.code }, "broken request");
    answerInTurn(stream as Socket, connections, refusal, error.code);
  });
  server.on("connect", (_request: IncomingMessage, stream) => {
    // Node has let go of it, with its listeners: a client that is gone by now would else end the process.
    stream.on("error", () => stream.destroy());
    const last = connections.unanswered(stream as Socket).at(-1);
    const refuse = (): void => end(stream as Socket, new Refusal("method_not_allowed"), { Allow: "GET, HEAD, OPTIONS, POST" });
    if (last === undefined) refuse();
    else last.res.once("close", refuse);
  });
};

/** Answers to earlier requests on the same connection go first; if the last of them is the broken one, it is answered as any other. */
const answerInTurn = (socket: Socket, connections: Connections, refusal: Refusal, code: string | undefined): void => {
  const last = connections.unanswered(socket).at(-1);
  if (code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (last === undefined && socket.bytesRead === 0) socket.destroy();
  else if (last === undefined) end(socket, refusal);
  else if (!last.req.complete) breakBody(last.req, refusal);
  else last.res.once("close", () => end(socket, refusal));
};

const refusalOf = (code: string | undefined): RefusalName => {
  if (code === "HPE_HEADER_OVERFLOW") return "headers_too_large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout";
  return "bad_request";
};

const end = (socket: Socket, refusal: Refusal, headers: Record<string, string> = {}): void => {
  if (!socket.writable) return void socket.destroy();
  const response = errorResponse(refusal);
  const lines = Object.entries({ ...errorHeaders(response), ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}\r\n${lines.join("")}\r\n${response.body}`);
  setTimeout(() => socket.destroy(), CLOSE_AFTER_MS).unref();
};
