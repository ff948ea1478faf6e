import { createServer, type AddressInfo, type Socket } from "node:net";

export interface RawServer extends AsyncDisposable {
  port: number;
  /** What each connection received so far, in the order of the connections. */
  received: string[];
}

/** A TCP server on a free port of loopback: `serve` does with each connection what it likes. */
export async function rawServer(serve: (socket: Socket, index: number) => void): Promise<RawServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
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
