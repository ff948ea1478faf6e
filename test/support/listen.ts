import type { Server } from "node:http";
import type { AddressInfo, ListenOptions } from "node:net";

/** Opens a server on loopback, at a free port unless one is named: its address, and what closes it with all of its connections. */
export async function listen(server: Server, options: ListenOptions = {}): Promise<AsyncDisposable & { port: number; url: string }> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen({ port: 0, host: "127.0.0.1", ...options }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
