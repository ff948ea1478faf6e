import { randomUUID } from "node:crypto";
import { connect, type Pool } from "shared/db/connect";
import { requireMigrated } from "shared/db/migrate";
import { readAnySecret } from "shared/db/site-for-ingest";
import { createPlatformClient, type PlatformClient } from "shared/platform/client";
import { createVault } from "shared/secrets/vault";
import { createLogger, type Logger } from "shared/server/logger";
import { requireDatabase } from "shared/server/startup";
import { requireMasterKey } from "shared/server/startup";
import { type Clock, systemClock } from "./clock.ts";
import type { GatewayConfig } from "./config.ts";
import type { GatewayContext } from "./context.ts";
import { connectForEvents } from "./events-pool.ts";
import { keepHouse } from "./housekeeping.ts";
import { createApp } from "./http/app.ts";
import { serve } from "./http/connection/server.ts";
import { createReadiness } from "./http/readiness.ts";
import { createIngest } from "./ingest/ingest.ts";

/** What a test may put in the place of the real thing. */
export interface GatewayOverrides {
  clock?: Clock | undefined;
  log?: Logger | undefined;
  platform?: PlatformClient | undefined;
  onStep?: GatewayContext["onStep"];
}

/** A running gateway. Disposing it stops accepting, finishes what is in flight and lets go of everything. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/** Throws a `ConfigurationError` when the database cannot be used or the port cannot be had. */
export const startGateway = async (config: GatewayConfig, overrides: GatewayOverrides = {}): Promise<Gateway> => {
  const context = createContext(config, overrides);
  const { sql, vault, log } = context;
  try {
    await requireDatabase(sql);
    await requireMigrated(sql);
    requireMasterKey(vault, await readAnySecret(sql));
    context.events = await connectForEvents(config, log);
    return await open(context);
  } catch (error) {
    await release(context);
    throw error;
  }
};

/** With one pool for everything, until it is known that the database is there. */
const createContext = (config: GatewayConfig, overrides: GatewayOverrides): GatewayContext => {
  const sql = connect(config.databaseUrl, { applicationName: "tidings-gateway", silentMs: 2 * config.timeLimits.statementMs });
  return { ...createTools(config, overrides), config, sql, events: sql };
};

const createTools = (config: GatewayConfig, overrides: GatewayOverrides): Omit<GatewayContext, "config" | "sql" | "events"> => ({
  vault: createVault(config.masterKey),
  platform: overrides.platform ?? createPlatformClient({ baseUrl: config.platformApiUrl, timeoutMs: config.timeLimits.attemptMs }),
  log: overrides.log ?? createLogger("gateway", config.logLevel),
  clock: overrides.clock ?? systemClock,
  instanceId: randomUUID(),
  onStep: overrides.onStep,
});

const open = async (context: GatewayContext): Promise<Gateway> => {
  const { config, log, sql } = context;
  const ingest = createIngest(context);
  const stopKeepingHouse = keepHouse(context);
  const readiness = createReadiness(sql, config.timeLimits.databaseCheckMs);
  const http = await serve(createApp(context, ingest, readiness), config, log);
  return {
    url: http.url,
    port: http.port,
    [Symbol.asyncDispose]: async () => {
      readiness.stopping = true;
      await http[Symbol.asyncDispose]();
      await Promise.all([ingest.stop(), stopKeepingHouse()]);
      await release(context);
    },
  };
};

const release = async ({ platform, sql, events }: { platform: PlatformClient; sql: Pool; events: Pool }): Promise<void> => {
  await platform[Symbol.asyncDispose]();
  await Promise.all([sql.end({ timeout: 1 }), events.end({ timeout: 1 })]);
};
