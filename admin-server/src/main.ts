import { createLogger } from "shared/server/logger";
import { runMain } from "shared/server/run-main";
import { stopOnSignal } from "shared/server/shutdown";
import { readAdminConfig } from "./config.ts";
import { startAdminServer } from "./start.ts";

await runMain(async () => {
  const config = readAdminConfig();
  const log = createLogger("admin-server", config.logLevel);
  const starting = startAdminServer(config, { log });
  stopOnSignal(log, async () => (await starting)[Symbol.asyncDispose]());
  const { url } = await starting;
  log.info({ url }, "listening");
});
