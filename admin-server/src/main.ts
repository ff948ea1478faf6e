import { createHmac } from "node:crypto";
import { createLogger } from "shared/server/logger";
import { runMain, stopOnSignal } from "shared/server/process";
import { readAdminConfig } from "./config.ts";
import { startAdminServer } from "./start.ts";

await runMain("npm run admin-server: serves the dashboard and its API; shared/src/docs/operating.md names its variables", async () => {
  const config = readAdminConfig();
  const log = createLogger("admin-server", config.logLevel);
  const setupCode = config.setupCode ?? setupCodeOf(config.masterKey);
  const starting = startAdminServer({ ...config, setupCode }, { log });
  stopOnSignal(log, async () => (await starting)[Symbol.asyncDispose]());
  const { url, awaitsFirstOwner } = await starting;
  log.info({ url }, "listening");
  // A configured code needs no announcement.
  if (awaitsFirstOwner && config.setupCode === null)
    log.info({ code: setupCode }, "the first sign-up from another machine needs this code");
});

/** The setup code, which is the same on every admin server of an installation and does not reveal the key. */
function setupCodeOf(masterKey: Buffer): string {
  return createHmac("sha256", masterKey).update("setup code").digest("hex").slice(0, 12);
}
