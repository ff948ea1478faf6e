import { createLogger } from "shared/server/logger";
import { runMain } from "shared/server/run-main";
import { stopOnSignal } from "shared/server/shutdown";
import { readGatewayConfig } from "./config.ts";
import { startGateway } from "./start.ts";

await runMain(async () => {
  const config = readGatewayConfig();
  const log = createLogger("gateway", config.logLevel);
  const starting = startGateway(config, { log });
  stopOnSignal(log, async () => (await starting)[Symbol.asyncDispose](), config.timeLimits.shutdownMs);
  const { url } = await starting;
  log.info({ url }, "listening");
});
