import { setMaxListeners } from "node:events";
import { connect } from "../db/connect.ts";
import { listen } from "../server/http-server.ts";
import type { Logger } from "../server/logger.ts";
import { loadAccounts } from "./accounts/accounts.ts";
import { startCourier } from "./callbacks/courier.ts";
import type { SandboxContext } from "./context.ts";
import { createListener } from "./http/listener.ts";
import { createRateLimits } from "./limits/rate-limits.ts";
import { defaultOptions, type SandboxOptions } from "./options.ts";
import { routes } from "./routes.ts";
import { createMessageWriter } from "./send/message-writer.ts";
import { loadTemplates } from "./templates/templates.ts";

export interface SandboxConfig {
  host: string;
  /** 0 takes any free port. */
  port: number;
  databaseUrl: string;
  log: Logger;
  options?: Partial<SandboxOptions> | undefined;
}

export interface Sandbox extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/**
 * Starts the stand-in for the messaging platform on a migrated database. One process at a time may serve a database: accounts and templates
 * are held in memory. Disposing it ends hanging answers, lets the others finish and keeps untold callbacks for the next start.
 */
export async function startSandbox(config: SandboxConfig): Promise<Sandbox> {
  const { log, host, port } = config;
  const options = { ...defaultOptions, ...config.options };
  const sql = connect(config.databaseUrl, { max: 8, applicationName: "sandbox" });
  const stop = new AbortController();
  // Each answer that hangs listens to it.
  setMaxListeners(0, stop.signal);
  const accounts = await loadAccounts(sql);
  const courier = await startCourier({ sql, log, accounts, options, stopping: stop.signal });
  const context: SandboxContext = {
    sql,
    log,
    options,
    accounts,
    courier,
    templates: await loadTemplates(sql, options.now),
    messages: createMessageWriter(sql, log),
    limits: createRateLimits(),
    refusedOnce: new Set(),
    stopping: stop.signal,
  };
  const server = await listen(createListener(context, routes), { host, port, portVariable: "SANDBOX_PORT" });
  return {
    url: server.url,
    port: server.port,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await server[Symbol.asyncDispose]();
      await courier[Symbol.asyncDispose]();
      await sql.end();
    },
  };
}
