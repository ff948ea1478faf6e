import { Socket } from "node:net";

/** What the driver hands to a socket factory: its own options, of which only these matter here. */
interface Address {
  host: readonly string[];
  port: readonly number[];
  /** A Unix socket's path; falsy for TCP. */
  path: unknown;
}

/** Fine enough that a silence is noticed soon after its time, coarse enough to cost nothing. */
const looksPerSilence = 4;

/**
 * Makes sockets that close themselves when nothing has come from the server for `silentMs`. Such a connection is idle, and quickly made again, or it
 * was lost without a word (a failover, a dropped NAT entry): then it would take statements for a quarter of an hour, and a pool of such never recovers.
 */
export function createWatchedSockets(silentMs: number): (address: Address) => Socket {
  let turn = 0;
  return ({ host, port, path }) => {
    const socket = new Socket();
    const at = turn % Math.max(1, host.length);
    turn += 1;
    watch(socket, silentMs);
    if (typeof path === "string" && path !== "") return socket.connect(path);
    // The driver reads the name off the socket, to check the server's certificate.
    Object.assign(socket, { host: host[at], port: port[at] });
    return socket.connect(port[at] ?? 5432, host[at] ?? "localhost");
  };
}

/** By the handle's own count, which goes on under TLS, where this socket's events do not. */
function watch(socket: Socket, silentMs: number): void {
  let read = 0;
  let silentLooks = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) return clearInterval(timer);
    silentLooks = socket.bytesRead === read ? silentLooks + 1 : 0;
    read = socket.bytesRead;
    if (silentLooks > looksPerSilence) socket.destroy();
  }, silentMs / looksPerSilence);
  timer.unref();
}
