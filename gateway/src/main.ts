import { setFlagsFromString } from "node:v8";
import { createLogger } from "shared/server/logger";
import { runMain, stopOnSignal } from "shared/server/process";
import { readGatewayConfig } from "./config.ts";
import { startGateway } from "./start.ts";

// Objects that survive a young collection under load are garbage soon after. By default V8 lets 20 to 30 MB of them gather before the next full collection,
// which saves nothing.
setFlagsFromString("--heap-growing-percent=200");

await runMain(async () => {
  const config = readGatewayConfig();
  const log = createLogger("gateway", config.logLevel);
  const starting = startGateway(config, { log });
  stopOnSignal(log, async () => (await starting)[Symbol.asyncDispose](), config.timeLimits.shutdownMs);
  const { url } = await starting;
  log.info({ url }, "listening");
});
