import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { expect, test } from "vitest";
import { createWatchedSockets } from "./connect.ts";

const silentMs = 200;

async function listening<S extends Server>(server: S): Promise<S & AsyncDisposable> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(server, { [Symbol.asyncDispose]: async () => void server.close() });
}

function open(server: Server): Socket {
  const { port } = server.address() as AddressInfo;
  return createWatchedSockets(silentMs)({ host: ["127.0.0.1"], port: [port], path: false });
}

/** Sends data again and again, more often than the limit asks for. */
function chatter(socket: Socket): void {
  const timer = setInterval(() => socket.write("."), silentMs / 10);
  socket.on("error", () => undefined).on("close", () => clearInterval(timer));
}

test("a connection on which nothing comes is closed, also while statements are written to it", async () => {
  await using server = await listening(createServer((socket) => void socket.resume().on("error", () => undefined)));
  const socket = open(server);
  const writing = setInterval(() => socket.write("statement"), 10);
  await once(socket, "close");
  clearInterval(writing);
  expect(socket.bytesRead).toBe(0);
});

test("one that answers stays open, and is closed when the answers end", async () => {
  let server: Socket | undefined;
  await using listener = await listening(
    createServer((socket) => {
      server = socket;
      chatter(socket);
    }),
  );
  const socket = open(listener).resume();
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(30);
  expect(socket.destroyed).toBe(false);
  server?.emit("close");
  await once(socket, "close");
});

test("under TLS it is the same, although the socket's own events tell nothing any more", async () => {
  const psk = { key: Buffer.from("00112233445566778899aabbccddeeff", "hex"), ciphers: "PSK", maxVersion: "TLSv1.2" } as const;
  let server: Socket | undefined;
  await using listener = await listening(
    createTlsServer({ ciphers: psk.ciphers, maxVersion: psk.maxVersion, pskCallback: () => psk.key }, (socket) => {
      server = socket;
      chatter(socket);
    }) as Server,
  );
  const socket = open(listener);
  await once(socket, "connect");
  const { ciphers, maxVersion, key } = psk;
  const pskCallback = () => ({ psk: key, identity: "test" });
  const secure = connectTls({ socket, ciphers, maxVersion, pskCallback, checkServerIdentity: () => undefined }).resume();
  await expect.poll(() => secure.bytesRead).toBeGreaterThan(30);
  expect(secure.destroyed).toBe(false);
  server?.emit("close");
  await once(secure, "close");
});
