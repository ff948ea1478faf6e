import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { SandboxContext } from "../context.ts";
import { GraphError, refusal, unknownObject } from "../errors/graph-error.ts";
import type { Answer, SandboxRequest } from "./answer.ts";
import { ControlError } from "./control.ts";
import { matchRoute, type Route } from "./match-route.ts";
import { readBody } from "./read-body.ts";

const VERSION = /^\/v(\d{1,3})\.\d+(?=\/|$)/;

/** Answers every request of the sandbox; a handler's throw becomes the platform's error body. */
export function createListener(context: SandboxContext, routes: readonly Route[]): RequestListener {
  return (incoming, response) => {
    void answer(context, routes, incoming).then((found) => send(response, found));
  };
}

/** Answers a request of which nobody can tell where it ends. */
export const refuseUnclear: RequestListener = (_incoming, response) => {
  response.setHeader("connection", "close");
  send(response, { status: 400, json: refusal(100, "The request has no clear end").body });
};

async function answer(context: SandboxContext, routes: readonly Route[], incoming: IncomingMessage): Promise<Answer> {
  const request = describe(incoming);
  try {
    const match = matchRoute(routes, request.method, request.path);
    if ("handler" in match) return await match.handler(context, { ...request, params: match.params });
    if (request.path.startsWith("/_sandbox")) throw new ControlError(match.known ? 405 : 404, `No call ${request.method} ${request.path}`);
    if (match.known) throw unknownObject(request.path.split("/")[1] ?? "", request.method);
    throw new GraphError(400, { message: `Unknown path components: ${request.path}`, code: 2500 });
  } catch (error) {
    // Whoever called has gone in the middle of the request.
    return incoming.destroyed && !incoming.complete ? "reset" : refuse(context, error);
  }
}

function describe(incoming: IncomingMessage): SandboxRequest {
  const { method = "GET", url = "/", headers } = incoming;
  const [whole = "/", search = ""] = url.split("?", 2);
  const version = VERSION.exec(whole);
  return {
    method,
    path: version === null ? whole : whole.slice(version[0].length) || "/",
    version: version === null ? null : Number(version[1]),
    params: {},
    query: new URLSearchParams(search),
    headers,
    origin: `http://${headers.host ?? "localhost"}`,
    readBody: (limit) => readBody(incoming, limit),
  };
}

function refuse({ log }: SandboxContext, error: unknown): Answer {
  if (error instanceof GraphError) return { status: error.status, json: error.body };
  if (error instanceof ControlError) return { status: error.status, json: { error: error.message } };
  log.error({ err: error }, "the sandbox could not answer");
  const unexpected = refusal(131000);
  return { status: unexpected.status, json: unexpected.body };
}

function send(response: ServerResponse, found: Answer): void {
  if (found === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const html = "html" in found;
  const body = html ? found.html : JSON.stringify(found.json);
  response.writeHead(found.status ?? 200, {
    "content-type": html ? "text/html" : "application/json; charset=UTF-8",
    "content-length": Buffer.byteLength(body),
    ...("headers" in found ? found.headers : {}),
  });
  response.end(body);
}
