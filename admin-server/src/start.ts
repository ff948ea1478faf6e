import { fileURLToPath } from "node:url";
import { connect } from "shared/db/connect";
import { requireMigrated } from "shared/db/migrate";
import type { Pool } from "shared/db/statement";
import { anyUserExists } from "shared/db/user";
import { createGuardedPost } from "shared/guarded-request";
import { createMetrics, serveMetrics, watchPool } from "shared/metrics/metrics";
import { createPlatformClient } from "shared/platform/client";
import { createManagementClient } from "shared/platform/management-client";
import { openVault } from "shared/sealing/open-vault";
import { createHostCheck } from "shared/server/hosts";
import { clearRequests, listen } from "shared/server/http-server";
import { createLogger } from "shared/server/logger";
import { version } from "shared/server/process";
import { createPulse } from "shared/server/retry";
import { requireDatabase } from "shared/server/startup";
import { createEventTail } from "./api/event-tail.ts";
import { makeFirstOwner } from "./api/sign-up.ts";
import type { AdminConfig } from "./config.ts";
import type { AdminContext } from "./context.ts";
import { createApp } from "./http/app.ts";
import { readDashboard } from "./http/dashboard.ts";
import { answerBrokenRequests, refuseUnclear } from "./http/refusals.ts";
import { type JobOverrides, startJobs } from "./jobs/jobs.ts";
import { createLearner } from "./learning/learner.ts";
import { createMailer } from "./mail/mailer.ts";
import { createSandboxClient } from "./sandbox/client.ts";
import { createSessions, isSecure } from "./session/sessions.ts";
import { createReplica } from "./trpc/replica.ts";

export type AdminOverrides = JobOverrides &
  Partial<Pick<AdminContext, "log" | "clock" | "sandbox">> & {
    dashboardDirectory?: string | undefined;
    maxConnections?: number | undefined;
  };

const dashboardBuild = fileURLToPath(new URL("../../admin-web/dist/web", import.meta.url));

/**
 * Starts an admin server; disposing it lets calls in flight finish and closes everything that it opened. `awaitsFirstOwner`: nobody has an account yet. Throws
 * `ConfigurationError` when the database cannot be used or the port is taken.
 */
export async function startAdminServer(config: AdminConfig, overrides: AdminOverrides = {}) {
  const stop = new AbortController();
  const clients = await openClients(config, stop.signal, overrides);
  const { sql } = clients;
  const release = async (): Promise<void> => {
    await Promise.all([
      clients.platform[Symbol.asyncDispose](),
      clients.management[Symbol.asyncDispose](),
      clients.poster[Symbol.asyncDispose](),
    ]);
    clients.mailer?.close();
    await clients.replica?.[Symbol.asyncDispose]();
    // Without a bound the driver never ends: a statement may wait for a lock, and a connection whose time was over within a transaction tells nobody.
    await sql.end({ timeout: 1 });
  };
  try {
    await requireDatabase(sql);
    await requireMigrated(sql);
    const vault = await openVault(sql, config);
    const context: AdminContext = { ...clients, vault, learner: createLearner({ ...clients, vault }) };
    await makeFirstOwner(context);
    const awaitsFirstOwner = !(await anyUserExists(context.sql));
    const http = await serve(context, overrides.dashboardDirectory ?? dashboardBuild, overrides.maxConnections ?? mostConnections);
    const scraped = context.metrics && (await serveMetrics(context.metrics, config));
    warnOfPlainHttp(context);
    const stopJobs = startJobs(context, overrides);
    const close = async (): Promise<void> => {
      stop.abort();
      await Promise.all([http[Symbol.asyncDispose](), stopJobs()]);
      await scraped?.[Symbol.asyncDispose]();
      await release();
    };
    return { url: http.url, port: http.port, awaitsFirstOwner, [Symbol.asyncDispose]: close };
  } catch (error) {
    stop.abort();
    await release();
    throw error;
  }
}

type Clients = Omit<AdminContext, "vault" | "learner"> & { sql: Pool };

/** The parts that need no database yet. */
async function openClients(config: AdminConfig, stopping: AbortSignal, overrides: AdminOverrides): Promise<Clients> {
  const metrics = config.metricsPort === undefined ? undefined : await createMetrics(version);
  const sql = watchPool(connect(config.databaseUrl, { applicationName: "tidings-admin", lifeSeconds: 270 }), metrics?.poolWait);
  const log = overrides.log ?? createLogger("admin-server", config.logLevel);
  const clock = overrides.clock ?? (() => new Date());
  return {
    config,
    sql,
    replica: config.databaseReadUrl === undefined ? undefined : createReplica({ primary: sql, url: config.databaseReadUrl, log }),
    stopping,
    platform: createPlatformClient({ baseUrl: config.platformUrl }),
    management: createManagementClient({ baseUrl: config.platformUrl }),
    sandbox: overrides.sandbox ?? (config.isSandbox ? createSandboxClient(config.platformUrl, config.sandboxControlToken) : null),
    testSandbox: config.sandboxUrl === undefined ? undefined : createSandboxClient(config.sandboxUrl, config.sandboxControlToken),
    mailer: config.mail === null ? null : createMailer(config.mail, new URL(config.publicAdminUrl).hostname),
    poster: createGuardedPost(config.allowPrivate),
    sessions: createSessions(sql, isSecure(config)),
    tail: createEventTail({ sql, log, clock }),
    log,
    metrics,
    pulse: createPulse(),
    clock,
  };
}

/** The most bytes of headers: the URL of a GET query holds its input, which may be a long payload. */
const maxHeaderBytes = 131_072;

/** The most connections: each may hold a body and a live view; further ones are closed at once. */
const mostConnections = 1_000;

async function serve(context: AdminContext, dashboardDirectory: string, maxConnections: number) {
  const { host, port } = context.config;
  const app = await createApp(context, await readDashboard(dashboardDirectory));
  const handle = app.callback();
  const handler = clearRequests((request, response) => void handle(request, response), refuseUnclear);
  const http = await listen(handler, { host, port, portVariable: "ADMIN_PORT", maxHeaderBytes, maxConnections });
  answerBrokenRequests(http.server);
  return http;
}

function warnOfPlainHttp({ config, log }: AdminContext): void {
  const isLoopback = createHostCheck([]);
  for (const [variable, url] of [
    ["PUBLIC_ADMIN_URL", config.publicAdminUrl],
    ["PUBLIC_GATEWAY_URL", config.publicGatewayUrl],
  ] as const) {
    const { protocol, host } = new URL(url);
    if (protocol === "http:" && !isLoopback(host))
      log.warn(
        { variable, url },
        "a public URL is plain http: whoever is on the way reads passwords and keys; put https in front and name that URL",
      );
  }
}
