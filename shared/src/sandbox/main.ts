import { createLogger } from "../server/logger.ts";
import { runMain, stopOnSignal } from "../server/process.ts";
import { readSandboxConfig } from "./config.ts";
import { startSandbox } from "./start.ts";

await runMain("npm run sandbox: stands in for WhatsApp; shared/src/docs/operating.md names its variables", async () => {
  const config = readSandboxConfig();
  const log = createLogger("sandbox", config.logLevel);
  const starting = startSandbox({ ...config, log });
  stopOnSignal(log, async () => (await starting)[Symbol.asyncDispose]());
  const { url } = await starting;
  log.info({ url }, "listening");
});
