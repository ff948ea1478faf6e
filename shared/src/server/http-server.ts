import { createServer, type RequestListener, type Server, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { ConfigurationError } from "./configuration-error.ts";

const DRAIN_MS = 20_000;
/** Connections that wait while the program is busy; the machine's own limit is usually lower. Beyond it they hang, and nobody tells them. */
const BACKLOG = 16_384;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The variable that sets the port, for the message when it is taken. */
  readonly portVariable: string;
  /** Until the headers are complete. */
  readonly headersTimeoutMs?: number | undefined;
  /** Until the whole request is read. */
  readonly requestTimeoutMs?: number | undefined;
  /** A connection without a request is closed after that. */
  readonly idleTimeoutMs?: number | undefined;
  readonly maxConnections?: number | undefined;
  /** The request line and all headers; Node's own limit (16 KiB) when absent. */
  readonly maxHeaderBytes?: number | undefined;
}

/** A listening server. Disposing it stops accepting, lets what is in flight finish (20 s at most), and resolves when all connections are closed. */
export interface HttpServer extends AsyncDisposable {
  readonly server: Server;
  readonly port: number;
  /** `http://HOST:PORT`, with an address that can be dialled. */
  readonly url: string;
}

/** Another program listens on the port. */
export class PortTaken extends ConfigurationError {}

/** Listens. Throws `ConfigurationError` when the port is taken or not allowed, or the address is not this machine's. */
export const listen = async (handler: RequestListener, options: ListenOptions): Promise<HttpServer> => {
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      requestTimeout: options.requestTimeoutMs ?? 30_000,
      keepAliveTimeout: options.idleTimeoutMs ?? 65_000,
      connectionsCheckingInterval: 1_000,
      ...(options.maxHeaderBytes !== undefined && { maxHeaderSize: options.maxHeaderBytes }),
    },
    handler,
  );
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections;
  await bind(server, options);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  return { server, port, url: `http://${dialable(options.host)}:${port}`, [Symbol.asyncDispose]: async () => close(server) };
};

/** The address as it stands in a URL; an unspecified one (listen everywhere) becomes loopback. */
export const dialable = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
};

const bind = async (server: Server, options: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, options)));
    server.listen({ host: options.host, port: options.port, backlog: BACKLOG }, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });

const explain = (error: NodeJS.ErrnoException, { host, port, portVariable }: ListenOptions): Error => {
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
      return new ConfigurationError([`HOST ${host} is no address of this machine: set HOST to 127.0.0.1, 0.0.0.0 or one that is`]);
    default:
      return error;
  }
};

// A connection that becomes idle after close() would otherwise be kept open until its keep-alive time is over.
const close = async (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const limit = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(limit);
      resolve();
    });
  });

/** Hands on only what has a clear place on its connection; `refuse` answers the rest, whose connection then ends. */
export const clearRequests =
  (handler: RequestListener, refuse: RequestListener): RequestListener =>
  (req, res) => {
    if (isClosing(req.socket)) return void req.resume();
    if (hasDoubtfulEnd(req)) {
      closeAfter(req.socket);
      req.resume();
      return refuse(req, res);
    }
    if (req.headers.upgrade !== undefined) {
      // Nobody upgrades, and Node's parser has lost what came right behind it.
      closeAfter(req.socket);
      res.setHeader("Connection", "close");
    }
    handler(req, res);
  };

/**
 * Whether a proxy may see the request's end elsewhere than we do: an encoding that is not just `chunked`, or any in HTTP/1.0 (RFC 9112, 6.1).
 * Node's parser refuses what else there is to differ on.
 */
const hasDoubtfulEnd = ({ headers, httpVersion }: IncomingMessage): boolean => {
  const encoding = headers["transfer-encoding"];
  return encoding !== undefined && (httpVersion !== "1.1" || encoding.toLowerCase() !== "chunked");
};

const closing = new WeakSet<Socket>();

/** Says that the answer to come is the connection's last: it carries `Connection: close`. */
export const closeAfter = (socket: Socket): void => void closing.add(socket);

/** Whether a request came after the last that is answered here. It must not be acted on (RFC 9112, 9.6): its client would never hear of it. */
const isClosing = (socket: Socket): boolean => closing.has(socket);
