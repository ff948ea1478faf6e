import { type RequestListener, type Server, STATUS_CODES } from "node:http";
import { getTRPCErrorFromUnknown } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import type { Middleware, Context as KoaContext } from "koa";
import { type Said, write } from "shared/core/wording";
import type { Logger } from "shared/server/logger";
import { z } from "zod";
import { Refusal, refusedInput, translateError, wentWrong, RetryLater } from "../trpc/errors.ts";
import { bareHeaders } from "./security-headers.ts";

/** Answers errors outside procedures. Koa's own handler would remove the security headers. */
export function answerErrors(log: Logger): Middleware {
  return async (koa, next) => {
    try {
      await next();
    } catch (error) {
      log.error({ err: error, path: koa.path }, "request failed");
      refuseWith(koa, 500, write(wentWrong));
    }
    if (koa.status === 404 && !koa.body) refuseWith(koa, 404, "Not found");
  };
}

/** An answer outside of procedures that refuses a request. */
export function refuseWith(koa: Pick<KoaContext, "status" | "body">, status: number, error: string): void {
  koa.status = status;
  koa.body = { error };
}

/** A preview's payload may stand in the address of a query; the server itself refuses longer heads. */
const maxTarget = 8_192;
const maxHeaders = 16_384;

/** 414 to a long address, 431 to long headers, before anything reads them. */
export const refuseLongHeads: Middleware = async (koa, next) => {
  const { url = "", method, rawHeaders } = koa.req;
  const isQuery = method === "GET" && /^\/(?:trpc|api\/v1)\//.test(url);
  if (url.length > maxTarget && !isQuery)
    refuseWith(koa, 414, `The URL is longer than ${maxTarget} characters, which only GET queries may be: send the input as a POST body`);
  else if (rawHeaders.reduce((sum, text) => sum + text.length, 0) > maxHeaders)
    refuseWith(koa, 431, `The headers are longer than ${maxHeaders} characters in total`);
  else await next();
};

/** Answers an error outside tRPC with a procedure's status and message, as `{error}`; returns the message as data, for pages that show it in another language. */
export function answerRefusal(log: Logger, koa: KoaContext, cause: unknown): Said | null {
  const error = cause instanceof z.ZodError ? refusedInput(cause.issues) : translateError(getTRPCErrorFromUnknown(cause));
  const isOurs = error.code === "INTERNAL_SERVER_ERROR";
  if (isOurs) log.error({ err: cause, path: koa.path }, "request failed");
  koa.status = getHTTPStatusCodeFromError(error);
  if (error.cause instanceof RetryLater) koa.set("retry-after", String(error.cause.told));
  const said = isOurs ? wentWrong : error instanceof Refusal ? error.said : null;
  koa.body = { error: said === null ? error.message : write(said) };
  return said;
}

/** Answers bytes that never become a request: they are no HTTP, or their headers are too large or too slow. */
export function answerBrokenRequests(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const status = statusOf(error.code);
    const body = bodyOf(status);
    const lines = Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
  });
}

/** Answers a request whose end is ambiguous. */
export const refuseUnclear: RequestListener = (_request, response) => {
  const body = bodyOf(400);
  response.writeHead(400, headersOf(body)).end(body);
};

const bodyOf = (status: number): string => JSON.stringify({ error: STATUS_CODES[status] });

const headersOf = (body: string): Record<string, string> => ({
  ...bareHeaders,
  Connection: "close",
  "Content-Type": "application/json",
  "Content-Length": String(body.length),
});

function statusOf(code: string | undefined): number {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
