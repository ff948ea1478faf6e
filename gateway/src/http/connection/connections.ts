import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Exchange } from "./raw-body.ts";

/** What is under way on each connection. */
export interface Connections {
  /** The connection's requests that are not answered yet, oldest first: pipelining makes it several. */
  unanswered(socket: Socket): readonly Exchange[];
  /** Closes every connection that carries no request, also one on which nothing has ever been sent. */
  closeUnused(): void;
}

export const watchConnections = (server: Server): Connections => {
  const open = new Map<Socket, Exchange[]>();
  server.on("connection", (socket) => {
    open.set(socket, []);
    socket.once("close", () => open.delete(socket));
  });
  const begin = (req: Exchange["req"], res: Exchange["res"]): void => {
    const exchanges = open.get(req.socket);
    tellToGoOn(exchanges?.at(-1));
    const exchange = { req, res };
    exchanges?.push(exchange);
    res.once("close", () => exchanges?.splice(exchanges.indexOf(exchange), 1));
  };
  for (const event of ["request", "checkContinue", "checkExpectation"] as const) server.prependListener(event, begin);
  return {
    unanswered: (socket) => open.get(socket) ?? [],
    closeUnused: () => {
      for (const [socket, exchanges] of open) if (exchanges.length === 0) socket.destroy();
    },
  };
};

/**
 * Whoever asked before sending a body, and has sent the next request since, has sent that body as well. Without this word Node would close the
 * connection behind the answer, and the next request would be acted on without one.
 */
const tellToGoOn = (previous: Exchange | undefined): void => {
  if (previous?.req.headers.expect !== undefined && !previous.res.headersSent) previous.res.writeContinue();
};
