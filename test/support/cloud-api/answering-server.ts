import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
  /** Undefined when there is none. */
  body: unknown;
}

/** `json` is answered as JSON, `text` as it is, "hang" never. */
export type Reply = "hang" | { status?: number; json?: unknown; text?: string; headers?: Record<string, string> };

export interface AnsweringServer extends AsyncDisposable {
  url: string;
  /** In the order of arrival. */
  seen: SeenRequest[];
  /** TCP connections that were opened. */
  readonly connections: number;
}

/** An HTTP server on a free port of loopback that says what the test tells it to, call by call. */
export async function answeringServer(reply: (request: SeenRequest, index: number) => Reply | Promise<Reply>): Promise<AnsweringServer> {
  const seen: SeenRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    void read(request).then(async (call) => write(response, await reply(call, seen.push(call) - 1)));
  });
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
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
