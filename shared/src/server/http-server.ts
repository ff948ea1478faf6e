import { once } from "node:events";
import { createServer, type RequestListener, type Server, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { ConfigurationError } from "./configuration-error.ts";

const drainMs = 20_000;
/** The most connections that wait while the program is busy; the machine's own limit is usually lower. Further ones hang. */
const backlog = 16_384;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The port's variable and the host's, for the message when the port is taken or the address another machine's. */
  readonly portVariable: string;
  readonly hostVariable?: string | undefined;
  readonly maxConnections?: number | undefined;
  /** The most bytes of request line and headers; Node's own limit (16 KiB) when absent. */
  readonly maxHeaderBytes?: number | undefined;
}

/** Where the metrics are served. */
export const metricsAddress = (host = "127.0.0.1") => ({ host, portVariable: "METRICS_PORT", hostVariable: "METRICS_HOST" });

/**
 * A listening server; `url` has an address that can be dialled. Its disposal stops accepting, lets requests finish for 20 s at most, and resolves when all
 * connections are closed.
 */
export type HttpServer = Awaited<ReturnType<typeof listen>>;

/** The error if another program listens on the port. */
export class PortTaken extends ConfigurationError {}

/** Listens. Throws `ConfigurationError` when the port is taken or not allowed, or the address belongs to another machine. */
export async function listen(handler: RequestListener, options: ListenOptions) {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 1_000,
      ...(options.maxHeaderBytes !== undefined && { maxHeaderSize: options.maxHeaderBytes }),
    },
    handler,
  );
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections;
  server.listen({ host: options.host, port: options.port, backlog });
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => Promise.reject(explain(error, options)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  return { server, port, url: `http://${dialable(options.host)}:${port}`, [Symbol.asyncDispose]: async () => close(server) };
}

/** The address in the form of a URL; an unspecified one (listen everywhere) becomes loopback. */
export function dialable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function explain(error: NodeJS.ErrnoException, { host, port, portVariable, hostVariable = "HOST" }: ListenOptions): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new PortTaken([
        `${portVariable} ${port} is taken on ${host}: stop the program that uses it or set ${portVariable} to another port`,
      ]);
    case "EACCES":
      return new ConfigurationError([`${portVariable} ${port} may not be used by this user: set ${portVariable} to a port above 1023`]);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ConfigurationError([
        `${hostVariable} ${host} is no address of this machine: set ${hostVariable} to 127.0.0.1, 0.0.0.0 or one that is`,
      ]);
    default:
      return error;
  }
}

/** Closes idle connections again and again: one that becomes idle after `server.close()` would stay open for its keep-alive time. */
const close = async (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const limit = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(limit);
      resolve();
    });
  });

/** Passes on requests that every proxy reads alike; `refuse` answers the others, and their connections are closed. */
export const clearRequests =
  (handler: RequestListener, refuse: RequestListener): RequestListener =>
  (req, res) => {
    // Its last answer is decided: a later request must not be processed (RFC 9112, 9.6), as its client would get no answer.
    if (closing.has(req.socket)) return void req.resume();
    if (hasDoubtfulEnd(req) || hasDoubtfulHeaders(req)) {
      closeAfter(req.socket);
      req.resume();
      return refuse(req, res);
    }
    if (req.headers.upgrade !== undefined) {
      // Upgrades are not supported, and Node's parser has lost the bytes behind the request.
      closeAfter(req.socket);
      res.setHeader("Connection", "close");
    }
    handler(req, res);
  };

/**
 * Whether a proxy may see another end of the request: with an encoding other than just `chunked`, or with any in HTTP/1.0 (RFC 9112, 6.1). Node's parser
 * refuses all other doubtful requests.
 */
function hasDoubtfulEnd({ headers, httpVersion }: IncomingMessage): boolean {
  const encoding = headers["transfer-encoding"];
  return encoding !== undefined && (httpVersion !== "1.1" || encoding.toLowerCase() !== "chunked");
}

/** Node keeps this many headers and drops the rest, such as those that a proxy has added behind the client's. */
const keptHeaders = 1_000;

/** Whether a proxy may have chosen us by another Host, or has sent a header that Node dropped. */
function hasDoubtfulHeaders({ rawHeaders }: IncomingMessage): boolean {
  if (rawHeaders.length >= 2 * keptHeaders) return true;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

const closing = new WeakSet<Socket>();

/** Marks that the next answer is the connection's last: it carries `Connection: close`. */
export const closeAfter = (socket: Socket): void => void closing.add(socket);
