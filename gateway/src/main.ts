import { setFlagsFromString } from "node:v8";
import { createLogger } from "shared/server/logger";
import { runMain, stopOnSignal } from "shared/server/process";
import { readGatewayConfig } from "./config.ts";
import { startGateway } from "./start.ts";

// What outlives a young collection under load is garbage soon after. By itself V8 lets much of it gather before it looks, which takes 20 to 30 MB and saves
// nothing.
setFlagsFromString("--heap-growing-percent=200");

await runMain(async () => {
  const config = readGatewayConfig();
  const log = createLogger("gateway", config.logLevel);
  const starting = startGateway(config, { log });
  stopOnSignal(log, async () => (await starting)[Symbol.asyncDispose](), config.timeLimits.shutdownMs);
  const { url } = await starting;
  log.info({ url }, "listening");
});
