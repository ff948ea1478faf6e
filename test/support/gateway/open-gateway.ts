import type { GatewayConfig } from "gateway/config";
import type { GatewayContext } from "gateway/context";
import { type Gateway, startGateway } from "gateway/start";
import { defaultTimeLimits, type TimeLimits } from "gateway/time-limits";
import { pino } from "pino";
import { masterKey } from "./shop.ts";

/** A gateway in this process, on a free port, silent. */
export async function openGateway(
  databaseUrl: string,
  platformApiUrl: string,
  changes: Partial<GatewayConfig> = {},
  timeLimits: Partial<TimeLimits> = {},
  onStep?: GatewayContext["onStep"],
): Promise<Gateway> {
  const config: GatewayConfig = {
    host: "127.0.0.1",
    port: 0,
    databaseUrl,
    masterKey,
    platformApiUrl,
    publicGatewayUrl: "http://127.0.0.1",
    maxBodyBytes: 1_048_576,
    inDoubtSeconds: 120,
    logLevel: "info",
    trustProxy: false,
    timeLimits: { ...defaultTimeLimits, ...timeLimits },
    ...changes,
  };
  return await startGateway(config, { log: pino({ level: process.env["TEST_LOG"] ?? "silent" }), onStep });
}
