import { createServer } from "node:net";

/** A port that is free on loopback at this moment. */
export const freePort = async (): Promise<number> => (await tryPort(0)) ?? 0;

/** Whether a port is free on loopback at this moment. */
export const isFreePort = async (port: number): Promise<boolean> => (await tryPort(port)) !== undefined;

const tryPort = async (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : undefined));
    });
  });
