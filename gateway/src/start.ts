import { randomUUID } from "node:crypto";
import { connect, type ConnectOptions, type Pool } from "shared/db/connect";
import { requireMigrated } from "shared/db/migrate";
import { createPlatformClient, type PlatformClient } from "shared/platform/client";
import { openVault } from "shared/sealing/open-vault";
import { createVault } from "shared/secrets/vault";
import { createLogger, type Logger } from "shared/server/logger";
import { requireDatabase } from "shared/server/startup";
import type { GatewayConfig } from "./config.ts";
import { systemClock, type GatewayContext } from "./context.ts";
import { createApp } from "./http/app.ts";
import { serve } from "./http/connection.ts";
import { createReadiness } from "./http/readiness.ts";
import { startWork } from "./work.ts";

/** Replacements for tests. */
export type GatewayOverrides = { [Part in "clock" | "log" | "platform" | "onStep"]?: GatewayContext[Part] | undefined };

/** A running gateway. Disposing it stops accepting, finishes the requests in flight and closes all connections. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/** Throws a `ConfigurationError` when the database or the port cannot be used. */
export async function startGateway(config: GatewayConfig, overrides: GatewayOverrides = {}): Promise<Gateway> {
  const context = createContext(config, overrides);
  const { sql, log } = context;
  try {
    await requireDatabase(sql);
    await requireMigrated(sql);
    context.vault = await openVault(sql, config);
    context.events = await connectForEvents(config, log);
    return await open(context);
  } catch (error) {
    await release(context);
    throw error;
  }
}

/** Makes a context with one pool for everything and only the given master key, until the database has answered. */
function createContext(config: GatewayConfig, overrides: GatewayOverrides): GatewayContext {
  const { databaseUrl, timeLimits, platformApiUrl } = config;
  const sql = connect(databaseUrl, { applicationName: "tidings-gateway", silentMs: 2 * timeLimits.statementMs });
  return {
    config,
    sql,
    events: sql,
    vault: createVault(config.masterKey),
    platform: overrides.platform ?? createPlatformClient({ baseUrl: platformApiUrl, timeoutMs: timeLimits.attemptMs }),
    log: overrides.log ?? createLogger("gateway", config.logLevel),
    clock: overrides.clock ?? systemClock,
    instanceId: randomUUID(),
    onStep: overrides.onStep,
  };
}

async function open(context: GatewayContext): Promise<Gateway> {
  const { config, log, sql } = context;
  const work = startWork(context);
  const readiness = createReadiness(sql, config.timeLimits.databaseCheckMs);
  const http = await serve(createApp(context, work.ingest, readiness), config, log);
  return {
    url: http.url,
    port: http.port,
    [Symbol.asyncDispose]: async () => {
      readiness.stopping = true;
      await http[Symbol.asyncDispose]();
      await work.stop();
      await release(context);
    },
  };
}

async function release({ platform, sql, events }: { platform: PlatformClient; sql: Pool; events: Pool }): Promise<void> {
  await platform[Symbol.asyncDispose]();
  await Promise.all([sql.end({ timeout: 1 }), events.end({ timeout: 1 })]);
}

/** A pooler's code for a setting that it does not pass on (protocol violation). */
const refusedSetting = "08P01";

const eventConnections = 4;

/**
 * Connections for claiming and settling alone: their statements want plans of their own, and must not queue behind others. All are open before the first
 * event comes: the database may be slow by then, and each costs several round trips. A pooler between us and PostgreSQL may refuse the settings that ask
 * for such plans; it then works without them, slower.
 */
export async function connectForEvents({ databaseUrl, timeLimits }: GatewayConfig, log: Logger): Promise<Pool> {
  const options: ConnectOptions = {
    max: eventConnections,
    applicationName: "tidings-gateway-events",
    silentMs: 2 * timeLimits.statementMs,
  };
  // The database gives up before we do: a statement that fails there has left nothing behind and holds no lock.
  const pool = connect(databaseUrl, { ...options, byKey: true, statementMs: Math.floor(0.9 * timeLimits.statementMs) });
  try {
    await pool`select 1`;
    // A connection that cannot be opened yet is opened when it is needed.
    await Promise.allSettled(Array.from({ length: eventConnections }, () => pool`select 1`.execute()));
    return pool;
  } catch (error) {
    await pool.end({ timeout: 0 });
    if (!(error instanceof Error && "code" in error && error.code === refusedSetting)) throw error;
    log.warn(
      { err: error },
      "the database's pooler refuses the settings of the fast path: connect to PostgreSQL itself, or allow them there",
    );
    return connect(databaseUrl, options);
  }
}
