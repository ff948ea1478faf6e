import { randomUUID } from "node:crypto";
import { connect, type Pool, type ConnectOptions } from "shared/db/connect";
import { requireMigrated } from "shared/db/migrate";
import { readAnySecret } from "shared/db/site-for-ingest";
import { createPlatformClient, type PlatformClient } from "shared/platform/client";
import { createVault } from "shared/secrets/vault";
import { createLogger, type Logger } from "shared/server/logger";
import { requireDatabase, requireMasterKey } from "shared/server/startup";
import type { GatewayConfig } from "./config.ts";
import { type Clock, systemClock, type GatewayContext } from "./context.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { createApp } from "./http/app.ts";
import { serve } from "./http/connection.ts";
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
  const stopHousekeeping = startHousekeeping(context);
  const readiness = createReadiness(sql, config.timeLimits.databaseCheckMs);
  const http = await serve(createApp(context, ingest, readiness), config, log);
  return {
    url: http.url,
    port: http.port,
    [Symbol.asyncDispose]: async () => {
      readiness.stopping = true;
      await http[Symbol.asyncDispose]();
      await Promise.all([ingest.stop(), stopHousekeeping()]);
      await release(context);
    },
  };
};

const release = async ({ platform, sql, events }: { platform: PlatformClient; sql: Pool; events: Pool }): Promise<void> => {
  await platform[Symbol.asyncDispose]();
  await Promise.all([sql.end({ timeout: 1 }), events.end({ timeout: 1 })]);
};

/** What a pooler says to a setting that it does not pass on (protocol violation). */
const REFUSED_SETTING = "08P01";

const connections = 4;

/**
 * Connections for claiming and settling alone: their statements want plans of their own, and must not queue behind others. All are open
 * before the first event comes: the database may be slow by then, and each costs several ways there and back. A pooler between us and
 * PostgreSQL may refuse the settings that ask for such plans; it then works without them, slower.
 */
export async function connectForEvents({ databaseUrl, timeLimits }: GatewayConfig, log: Logger): Promise<Pool> {
  const options: ConnectOptions = { max: connections, applicationName: "tidings-gateway-events", silentMs: 2 * timeLimits.statementMs };
  // Sooner than we do: what is heard to have failed has left nothing behind, and nobody else's statement waits behind it.
  const pool = connect(databaseUrl, { ...options, byKey: true, statementMs: Math.floor(0.9 * timeLimits.statementMs) });
  try {
    await pool`select 1`;
    // Those that the database cannot give yet are asked for again when they are needed.
    await Promise.allSettled(Array.from({ length: connections }, () => pool`select 1`.execute()));
    return pool;
  } catch (error) {
    await pool.end({ timeout: 0 });
    if (!(error instanceof Error && "code" in error && error.code === REFUSED_SETTING)) throw error;
    log.warn(
      { err: error },
      "the database's pooler refuses the settings of the fast path: connect to PostgreSQL itself, or allow them there",
    );
    return connect(databaseUrl, options);
  }
}
