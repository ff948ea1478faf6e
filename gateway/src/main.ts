import { setFlagsFromString } from "node:v8";
import { createLogger } from "shared/server/logger";
import { runMain, stopOnSignal } from "shared/server/process";
import { readGatewayConfig } from "./config.ts";
import { startGateway } from "./start.ts";

// Objects that survive a young collection under load are garbage soon after: a full collection at half as much again, of some milliseconds, holds the memory
// low that the large young generation takes (see the script in package.json, which `npm start` follows).
setFlagsFromString("--heap-growing-percent=50");

await runMain("npm run gateway: takes events and sends their messages; shared/src/docs/operating.md names its variables", async () => {
  const config = readGatewayConfig();
  const log = createLogger("gateway", config.logLevel);
  const starting = startGateway(config, { log });
  stopOnSignal(log, async () => (await starting)[Symbol.asyncDispose](), config.timeLimits.shutdownMs);
  const { url } = await starting;
  log.info({ url }, "listening");
});
