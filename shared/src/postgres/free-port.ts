import { randomInt } from "node:crypto";
import { createServer } from "node:net";

// Below the ranges from which systems take the local ports of outgoing connections (Linux: from 32768, others: from 49152):
// a port from there may be somebody's connection by the time that it is listened on.
const FIRST = 12_000;
const END = 32_000;

/** A port that is free on loopback at this moment, and that no outgoing connection takes by itself. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(FIRST, END);
  return (await isFreePort(port)) ? port : await freePort();
};

/** Whether a port is free on loopback at this moment. */
export const isFreePort = async (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
