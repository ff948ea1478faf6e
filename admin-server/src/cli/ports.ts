import type { RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { postgresFiles } from "shared/postgres/files";
import { stateOfFileLock } from "shared/server/file-lock";
import { listen, PortTaken } from "shared/server/http-server";
import type { StartConfig } from "./config.ts";

export interface Ports {
  readonly gateway: number;
  readonly admin: number;
  /** Null when the platform is the real one. */
  readonly sandbox: number | null;
}

/** How long the parts of another start may need to go, by what its lock says: it is gone or never was, it was killed, it may be stopping. */
const WAIT_MS = { free: 3_000, abandoned: 25_000, held: 10_000 } as const;

/** The ports to listen on, each found free on HOST; 0 becomes a free one. Throws a `ConfigurationError` that names the variable of one that stays taken. */
export const waitForPorts = async (config: StartConfig): Promise<Ports> => {
  const wait = WAIT_MS[stateOfFileLock(postgresFiles(config.dataDir).lock)];
  for (const deadline = performance.now() + wait; ; await sleep(100)) {
    try {
      return await findPorts(config);
    } catch (error) {
      if (!(error instanceof PortTaken) || performance.now() > deadline) throw error;
    }
  }
};

const findPorts = async (config: StartConfig): Promise<Ports> => {
  const { host, gatewayPort, adminPort, sandboxPort, platformApiUrl } = config;
  // All held until all are known, so that no free one is given out twice.
  await using gateway = await listen(refuse, { host, port: gatewayPort, portVariable: "GATEWAY_PORT" });
  await using admin = await listen(refuse, { host, port: adminPort, portVariable: "ADMIN_PORT" });
  await using sandbox =
    platformApiUrl === undefined ? await listen(refuse, { host, port: sandboxPort, portVariable: "SANDBOX_PORT" }) : null;
  return { gateway: gateway.port, admin: admin.port, sandbox: sandbox?.port ?? null };
};

const refuse: RequestListener = (_request, response) => void response.writeHead(503).end();
