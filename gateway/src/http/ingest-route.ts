import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { closeAfter } from "shared/server/http-server";
import type { Logger } from "shared/server/logger";
import type { GatewayContext } from "../context.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { Refusal } from "../refusal.ts";
import { createRequestLog, type LoggedState } from "./access-log.ts";
import { corsHeaders, errorResponse, isWritable } from "./answer.ts";
import { discardRest } from "./connection.ts";
import { ClientGone, isBodyBroken, readRawBody, refuseDeclaredLength } from "./raw-body.ts";
import type { Readiness } from "./readiness.ts";

/**
 * `POST /api/public/ingest/{source}/{event}`, the one endpoint that is asked thousands of times a second, and therefore served before the framework,
 * which costs more than the whole spine. Answers false, having done nothing, when the request is for another endpoint.
 */
export interface IngestRoute {
  (request: IncomingMessage, response: ServerResponse): boolean;
}

const TARGET = /^\/api\/public\/ingest\/([^/?#]+)\/([^/?#]+)(?:[?#]|$)/;

const everyAnswer = { ...corsHeaders, "X-Content-Type-Options": "nosniff", "Content-Type": "application/json; charset=utf-8" };

interface Reply {
  status: number;
  body: string;
  headers?: Record<string, string> | undefined;
}

export const createIngestRoute = (context: GatewayContext, ingest: Pick<Ingest, "handle">, readiness: Readiness): IngestRoute => {
  const { config, log, clock } = context;
  const logRequest = createRequestLog(log, config.trustProxy);

  const answer = async (req: IncomingMessage, res: ServerResponse, source: string, event: string, state: LoggedState): Promise<Reply> => {
    if (req.httpVersion === "1.1" && req.headers.host === undefined) throw new Refusal("bad_request");
    if (readiness.stopping) throw new Refusal("stopping");
    refuseDeclaredLength(req, config.maxBodyBytes);
    const given = await ingest.handle({
      headers: req.headers,
      source: decode(source),
      event: decode(event),
      receivedAt: clock.now(),
      readBody: async () => readRawBody({ req, res }, config.maxBodyBytes, config.timeLimits),
    });
    state.eventId = given.eventId;
    return given;
  };

  const serve = async (req: IncomingMessage, res: ServerResponse, [, source = "", event = ""]: RegExpExecArray): Promise<void> => {
    const started = performance.now();
    const state: LoggedState = {};
    let reply: Reply | null;
    try {
      reply = await answer(req, res, source, event, state);
    } catch (error) {
      reply = refuse(error, req, state, log);
    }
    logRequest(req, { status: reply?.status ?? 404, writable: isWritable(res) }, state, performance.now() - started);
    if (reply && isWritable(res)) await send(req, res, reply);
  };

  const send = async (req: IncomingMessage, res: ServerResponse, { status, body, headers }: Reply): Promise<void> => {
    if (!req.complete) closeAfter(req.socket);
    const head: OutgoingHttpHeaders = { ...everyAnswer, "Content-Length": Buffer.byteLength(body) };
    if (headers) Object.assign(head, headers);
    if (readiness.stopping || !req.complete) head["Connection"] = "close";
    res.writeHead(status, head);
    if (req.complete) return void res.end(body);
    res.write(body);
    if (!isBodyBroken(req)) await discardRest(req, config.timeLimits);
    res.end();
  };

  return (req, res) => {
    const target = req.method === "POST" ? TARGET.exec(req.url ?? "") : null;
    if (target) void serve(req, res, target);
    return target !== null;
  };
};

/** What a refused request is answered; null when there is nobody left to answer. */
const refuse = (error: unknown, req: IncomingMessage, state: LoggedState, log: Logger): Reply | null => {
  const response = errorResponse(error);
  const gone = error instanceof ClientGone;
  if (!gone && response.refusal === "internal") log.error({ err: error, method: req.method, path: req.url }, "unexpected error");
  state.refusal = gone ? "client_gone" : response.refusal;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code === "string") state.cause = code;
  return gone ? null : response;
};

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new Refusal("bad_request", null, { cause: error });
  }
};
