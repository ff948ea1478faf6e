import { randomUUID } from "node:crypto";
import { type ConnectOptions, connect } from "shared/db/connect";
import { requireMigrated } from "shared/db/migrate";
import { createReadiness } from "shared/db/readiness";
import type { Pool } from "shared/db/statement";
import { createGatewayMetrics, type GatewayMetrics, serveMetrics, watchPool } from "shared/metrics/metrics";
import { createPlatformClient, type PlatformClient } from "shared/platform/client";
import { openVault } from "shared/sealing/open-vault";
import { createVault } from "shared/secrets/vault";
import { createLogger, type Logger } from "shared/server/logger";
import { version } from "shared/server/process";
import { createPulse } from "shared/server/retry";
import { requireDatabase } from "shared/server/startup";
import type { GatewayConfig } from "./config.ts";
import { systemClock, type GatewayContext } from "./context.ts";
import { createApp } from "./http/app.ts";
import { serve } from "./http/connection.ts";
import { startTracing } from "./tracing.ts";
import { startWork } from "./work.ts";

/** Replacements for tests. */
export type GatewayOverrides = { [Part in "clock" | "log" | "platform" | "onStep"]?: GatewayContext[Part] | undefined };

/** A running gateway. Disposing it stops accepting, finishes the requests in flight and closes all connections. */
export type Gateway = Awaited<ReturnType<typeof open>>;

/** Throws a `ConfigurationError` when the database or the port cannot be used. */
export async function startGateway(config: GatewayConfig, overrides: GatewayOverrides = {}): Promise<Gateway> {
  const log = overrides.log ?? createLogger("gateway", config.logLevel);
  const metrics = config.metricsPort === undefined ? undefined : await createGatewayMetrics(version);
  const forOthers = await openPool(config, log, { applicationName: "tidings-gateway" }, { limits: silentLimits });
  const sql = watchPool(forOthers, metrics?.poolWait);
  const platform = overrides.platform ?? createPlatformClient({ baseUrl: config.platformApiUrl, timeoutMs: config.timeLimits.attemptMs });
  const { sandboxUrl: baseUrl } = config;
  const context: GatewayContext = {
    config,
    sql,
    events: sql,
    vault: createVault(config.masterKey),
    platform: metrics === undefined ? platform : countRequests(platform, metrics),
    sandbox: baseUrl === undefined ? undefined : createPlatformClient({ baseUrl, timeoutMs: config.timeLimits.attemptMs }),
    log,
    clock: overrides.clock ?? systemClock,
    instanceId: randomUUID(),
    metrics,
    pulse: createPulse(),
    onStep: overrides.onStep,
  };
  try {
    await requireMigrated(sql);
    context.vault = await openVault(sql, config);
    context.tracing = config.otlpEndpoint === undefined ? undefined : await startTracing(config.otlpEndpoint, context.instanceId, log);
    context.events = watchPool(await connectForEvents(config, log), metrics?.poolWait);
    return await open(context);
  } catch (error) {
    await release(context);
    throw error;
  }
}

async function open(context: GatewayContext) {
  const { config, log, sql, metrics } = context;
  const work = startWork(context);
  const readiness = createReadiness(sql, config.timeLimits.databaseCheckMs, (level, text) => log[level](text));
  const http = await serve(createApp(context, work.ingest, readiness), config, log);
  const scraped = metrics && (await serveMetrics(metrics, config));
  return {
    url: http.url,
    port: http.port,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      readiness.stopping = true;
      await http[Symbol.asyncDispose]();
      await work.stop();
      await scraped?.[Symbol.asyncDispose]();
      await release(context);
    },
  };
}

/** The same client, of which every request counts once by how it ended. */
const countRequests = (client: PlatformClient, { platformRequests }: GatewayMetrics): PlatformClient => ({
  call: async (call) => {
    const answer = await client.call(call);
    platformRequests(answer.kind === "answered" ? `${Math.floor(answer.status / 100)}xx` : answer.kind);
    return answer;
  },
  [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
});

async function release({ platform, sandbox, sql, events, tracing }: GatewayContext): Promise<void> {
  await Promise.all([platform[Symbol.asyncDispose](), sandbox?.[Symbol.asyncDispose]()]);
  await tracing?.[Symbol.asyncDispose]();
  await Promise.all([sql.end({ timeout: 1 }), events.end({ timeout: 1 })]);
}

/** A connection that is silent for two limits of a statement counts as lost. The database gives a statement up at nine tenths of ours, so that none goes on alone. */
const [silentLimits, patience] = [2, 0.9];

/**
 * Connections for claiming and settling alone: their statements want plans of their own, and must not queue behind others. All are open before the first
 * event comes: the database may be slow by then, and each costs several round trips. A statement that fails there has left nothing behind and holds no lock.
 */
export const connectForEvents = (config: GatewayConfig, log: Logger): Promise<Pool> =>
  openPool(config, log, { max: 4, applicationName: "tidings-gateway-events" }, { limits: 1, byKey: true });

/** A pooler's code for a setting that it does not pass on (protocol violation). */
const refusedSetting = "08P01";

/** A pooler between us and PostgreSQL may refuse settings; it then works without them, slower. `limits`: how many limits of a statement one may take there. */
async function openPool(
  { databaseUrl, timeLimits: { statementMs } }: GatewayConfig,
  log: Logger,
  given: ConnectOptions,
  { limits, byKey }: Pick<ConnectOptions, "byKey"> & { limits: number },
): Promise<Pool> {
  const options = { ...given, lifeSeconds: 270, silentMs: silentLimits * statementMs };
  const pool = connect(databaseUrl, { ...options, byKey, statementMs: Math.floor(patience * limits * statementMs) });
  try {
    await requireDatabase(pool);
    // A connection that cannot be opened yet is opened when it is needed.
    await Promise.allSettled(Array.from({ length: options.max ?? 1 }, () => pool`select 1`.execute()));
    return pool;
  } catch (error) {
    await pool.end({ timeout: 0 });
    const { cause } = error as Error;
    if (!(cause instanceof Error && "code" in cause && cause.code === refusedSetting)) throw error;
    log.warn({ err: error }, "the database's pooler refuses settings of the gateway: connect to PostgreSQL itself, or allow them there");
    return connect(databaseUrl, options);
  }
}
