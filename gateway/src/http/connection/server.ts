import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { clearRequests } from "shared/server/http-server";
import { type HttpServer, listen } from "shared/server/http-server";
import { closeAfter } from "shared/server/http-server";
import type { Logger } from "shared/server/logger";
import type { GatewayConfig } from "../../config.ts";
import { Refusal, type RefusalName } from "../../ingest/refusal.ts";
import { errorHeaders, errorResponse } from "../error-response.ts";
import { answerBrokenRequests } from "./broken-request.ts";
import { watchConnections } from "./connections.ts";

/** More connections than sends in flight: each may wait for its answer. Beyond that new ones are closed at once. */
const MAX_CONNECTIONS = 10_000;

/** When stopping, a connection that has not sent a whole request by then is closed. */
const UNUSED_AFTER_MS = 1_000;

/** Listens with every limit set. Disposing it stops accepting, answers what is in flight and closes every connection. */
export const serve = async (app: RequestListener, config: GatewayConfig, log: Logger): Promise<HttpServer> => {
  const { timeLimits } = config;
  const handler = clearRequests(app, (req, res) => refuseAndClose(req, res, "bad_request"));
  const http = await listen(handler, {
    host: config.host,
    port: config.port,
    portVariable: "GATEWAY_PORT",
    headersTimeoutMs: timeLimits.headersMs,
    // Bodies have limits of their own; this one also ends those that nobody reads.
    requestTimeoutMs: timeLimits.headersMs + timeLimits.bodyMs + timeLimits.discardMs,
    idleTimeoutMs: timeLimits.keepAliveMs,
    maxConnections: MAX_CONNECTIONS,
  });
  http.server.setTimeout(timeLimits.socketIdleMs);
  answerWithJson(http.server, handler);
  const connections = watchConnections(http.server);
  answerBrokenRequests(http.server, connections, log);
  return {
    ...http,
    [Symbol.asyncDispose]: async () => {
      const unused = setTimeout(() => connections.closeUnused(), UNUSED_AFTER_MS);
      await http[Symbol.asyncDispose]();
      clearTimeout(unused);
    },
  };
};

/** Takes over what Node would answer by itself, without a body. */
const answerWithJson = (server: Server, handler: RequestListener): void => {
  Object.assign(server, { requireHostHeader: false });
  // The body is asked for when it is about to be read, so one that would be refused anyway is never sent.
  server.on("checkContinue", handler);
  server.on("checkExpectation", (req, res) => refuseAndClose(req, res, "expectation_failed"));
};

const refuseAndClose = (req: IncomingMessage, res: ServerResponse, refusal: RefusalName): void => {
  closeAfter(req.socket);
  req.resume();
  const response = errorResponse(new Refusal(refusal));
  res.writeHead(response.status, errorHeaders(response)).end(response.body);
};
