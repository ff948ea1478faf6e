import type { RequestListener } from "node:http";
import { listen } from "shared/server/http-server";
import type { StartConfig } from "./config.ts";

export interface Ports {
  readonly gateway: number;
  readonly admin: number;
  /** Null when the platform is the real one. */
  readonly sandbox: number | null;
}

/** The ports to listen on, each found free on HOST; 0 becomes a free one. Throws a `ConfigurationError` that names the variable of one that is taken. */
export const findPorts = async (config: StartConfig): Promise<Ports> => {
  const { host, gatewayPort, adminPort, sandboxPort, platformApiUrl } = config;
  // All held until all are known, so that no free one is given out twice.
  await using gateway = await listen(refuse, { host, port: gatewayPort, portVariable: "GATEWAY_PORT" });
  await using admin = await listen(refuse, { host, port: adminPort, portVariable: "ADMIN_PORT" });
  await using sandbox = platformApiUrl === undefined ? await listen(refuse, { host, port: sandboxPort, portVariable: "SANDBOX_PORT" }) : null;
  return { gateway: gateway.port, admin: admin.port, sandbox: sandbox?.port ?? null };
};

const refuse: RequestListener = (_request, response) => void response.writeHead(503).end();
