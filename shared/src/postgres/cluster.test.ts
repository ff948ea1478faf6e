import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort, isFreePort } from "./cluster.ts";

const listenOn = async (port: number) => {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
};

test("a free port is none that an outgoing connection takes by itself", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  for (const port of ports) expect(port).toSatisfy((it: number) => it >= 12_000 && it < 32_000);
});

test("a port that is listened on is not free", async () => {
  const port = await freePort();
  const server = await listenOn(port);
  expect(await isFreePort(port)).toBe(false);
  server.close();
  await once(server, "close");
  expect(await isFreePort(port)).toBe(true);
});
