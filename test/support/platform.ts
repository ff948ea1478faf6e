import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { listen } from "./listen.ts";

export interface SeenRequest {
  method: string;
  /** The path without the query. */
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
  /** The body; undefined without one. */
  body: unknown;
}

/** The answer: `json` as JSON, `text` unchanged, "hang" never. */
export type Reply = "hang" | { status?: number; json?: unknown; text?: string; headers?: Record<string, string> };

export interface AnsweringServer extends AsyncDisposable {
  url: string;
  /** The requests in the order of arrival. */
  seen: SeenRequest[];
  /** The number of TCP connections that were opened. */
  readonly connections: number;
}

/** An HTTP server on a free port of loopback that gives the test's answers, call by call. */
export async function answeringServer(reply: (request: SeenRequest, index: number) => Reply | Promise<Reply>): Promise<AnsweringServer> {
  const seen: SeenRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      if (body === null) return;
      const call = toCall(request, body.toString());
      write(response, await reply(call, seen.push(call) - 1));
    });
  });
  server.on("connection", () => (connections += 1));
  return {
    ...(await listen(server, { backlog: 4_096 })),
    seen,
    get connections() {
      return connections;
    },
  };
}

/** The whole body; null if the caller was gone before its end. */
export const readBody = (request: IncomingMessage): Promise<Buffer | null> =>
  buffer(request).catch((error: unknown) => {
    if (request.complete) throw error;
    return null;
  });

function toCall(request: IncomingMessage, text: string): SeenRequest {
  const url = new URL(request.url ?? "/", "http://platform");
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  return { method: request.method ?? "", path: url.pathname, query: url.searchParams, authorization: request.headers.authorization, body };
}

function write(response: ServerResponse, reply: Reply): void {
  if (reply === "hang") return;
  response.writeHead(reply.status ?? 200, {
    "content-type": reply.text === undefined ? "application/json" : "text/html",
    ...reply.headers,
  });
  response.end(reply.text ?? JSON.stringify(reply.json ?? {}));
}

export interface RawServer extends AsyncDisposable {
  port: number;
  /** The bytes that each connection received so far, in the order of the connections. */
  received: string[];
}

/** A TCP server on a free port of loopback: `serve` handles each connection. */
export async function rawServer(serve: (socket: Socket, index: number) => void): Promise<RawServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    const index = received.push("") - 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (bytes) => (received[index] += bytes.toString("latin1")));
    serve(socket, index);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A send in the form in which the platform got it. */
export interface ReceivedSend {
  path: string;
  authorization: string | undefined;
  body: SendBody;
}

export interface SendBody {
  to: string;
  biz_opaque_callback_data: string;
  template: { name: string; language: { code: string }; components?: unknown[] };
}

/** Answers one send; what it returns is the message's id, unless it has answered by itself (`undefined`). */
export type Script = (send: ReceivedSend, response: ServerResponse) => string | undefined | Promise<string | undefined>;

export interface ScriptedPlatform extends AsyncDisposable {
  url: string;
  /** The sends in the order of arrival. */
  sends: ReceivedSend[];
  /** Replaces the way in which sends are answered; until then all are accepted. */
  script(next: Script): void;
}

/** A platform that follows the test's script and remembers every send. */
export async function startScriptedPlatform(): Promise<ScriptedPlatform> {
  const sends: ReceivedSend[] = [];
  let script: Script = () => newMessageId();
  const server = createServer((request, response) => {
    void readBody(request).then(async (bytes) => {
      if (bytes === null) return;
      const body = JSON.parse(bytes.toString() || "{}") as SendBody;
      const send = { path: request.url ?? "", authorization: request.headers.authorization, body };
      sends.push(send);
      const id = await script(send, response);
      if (id !== undefined) answer(response, 200, { messaging_product: "whatsapp", messages: [{ id }] });
    });
  });
  return {
    ...(await listen(server)),
    sends,
    script: (next) => void (script = next),
  };
}

let counter = 0;
export const newMessageId = (): string => `wamid.test.${process.pid}.${(counter += 1)}`;

export function answer(response: ServerResponse, status: number, body: object): undefined {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** An error in the platform's form. */
export function refuse(response: ServerResponse, status: number, code: number, details = ""): undefined {
  return answer(response, status, {
    error: { message: `(#${code}) Refused`, type: "OAuthException", code, error_data: { details }, fbtrace_id: "T" },
  });
}
