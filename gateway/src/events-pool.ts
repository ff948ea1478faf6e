import { connect, type ConnectOptions, type Pool } from "shared/db/connect";
import type { Logger } from "shared/server/logger";
import type { GatewayConfig } from "./config.ts";

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
