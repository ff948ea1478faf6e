import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A way to a database that fails when the test says so. */
export interface CuttableProxy extends AsyncDisposable {
  url: string;
  /** From now on statements arrive and are done, but nobody hears of it. */
  mute: () => void;
  /** Ends every connection and takes no new one. */
  cut: () => void;
  /** Takes connections again. */
  mend: () => void;
}

export async function startCuttableProxy(databaseUrl: string): Promise<CuttableProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  const state = { muted: false, cut: false };
  const server = createServer((client) => {
    if (state.cut) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (bytes) => void upstream.write(bytes));
    let deaf = false;
    upstream.on("data", (bytes: Buffer) => {
      // `BindComplete` begins what a statement that is done answers; what comes before it only prepares one.
      deaf ||= state.muted && bytes[0] === 0x32;
      if (!deaf) client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  // As when the other side is gone: an orderly end would be another case for the driver.
  const drop = (): void => open.forEach((socket) => socket.resetAndDestroy());
  return {
    url: url.href,
    mute: () => void (state.muted = true),
    cut: () => {
      state.cut = true;
      drop();
    },
    mend: () => void Object.assign(state, { muted: false, cut: false }),
    [Symbol.asyncDispose]: async () => {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
