import { setMaxListeners } from "node:events";
import { connect, type Pool } from "../db/connect.ts";
import { requireMigrated } from "../db/migrate.ts";
import { clearRequests, listen } from "../server/http-server.ts";
import type { Logger } from "../server/logger.ts";
import { requireDatabase } from "../server/startup.ts";
import { loadAccounts } from "./accounts.ts";
import { createApp, refuseUnclear } from "./app.ts";
import { startCourier } from "./callbacks/courier.ts";
import { defaultOptions, type SandboxOptions } from "./config.ts";
import type { SandboxContext } from "./context.ts";
import { createRateLimits } from "./limits.ts";
import { createMessageWriter } from "./send/message-writer.ts";
import { loadTemplates } from "./templates/store.ts";

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
 * Starts the stand-in for the messaging platform on a migrated database. Accounts and templates are cached in memory, so only one process may
 * serve a database. Disposing it ends hanging answers, lets the others finish and keeps pending callbacks for the next start.
 * Throws a `ConfigurationError` when the database cannot be used or the port is taken.
 */
export async function startSandbox(config: SandboxConfig): Promise<Sandbox> {
  const sql = connect(config.databaseUrl, { max: 8, applicationName: "tidings-sandbox" });
  const stop = new AbortController();
  // Every hanging answer adds a listener.
  setMaxListeners(0, stop.signal);
  try {
    await requireDatabase(sql);
    await requireMigrated(sql);
    return await open(config, sql, stop);
  } catch (error) {
    stop.abort();
    await sql.end({ timeout: 5 });
    throw error;
  }
}

async function open({ host, port, log, options: wishes }: SandboxConfig, sql: Pool, stop: AbortController): Promise<Sandbox> {
  const options = { ...defaultOptions, ...wishes };
  const accounts = await loadAccounts(sql);
  const templates = await loadTemplates(sql, options.now);
  const courier = await startCourier({ sql, log, accounts, options, stopping: stop.signal });
  const messages = createMessageWriter(sql, log);
  const limits = createRateLimits();
  const memory = { accounts, templates, limits, refusedOnce: new Set<string>() };
  const context: SandboxContext = { sql, log, options, courier, messages, stopping: stop.signal, ...memory };
  const server = await listen(clearRequests(createApp(context), refuseUnclear), { host, port, portVariable: "SANDBOX_PORT" });
  return {
    url: server.url,
    port: server.port,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await server[Symbol.asyncDispose]();
      await courier[Symbol.asyncDispose]();
      await sql.end({ timeout: 5 });
    },
  };
}
