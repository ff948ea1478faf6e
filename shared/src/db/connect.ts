import { Socket } from "node:net";
import postgres from "postgres";
import { arrayType } from "./sql-text.ts";
import { type Pool, scalar, type Sql } from "./statement.ts";

export interface ConnectOptions {
  /** The most connections at once. */
  readonly max?: number | undefined;
  /** Our name in `pg_stat_activity`. */
  readonly applicationName?: string | undefined;
  readonly onNotice?: ((notice: postgres.Notice) => void) | undefined;
  /** Milliseconds without data from the server after which a connection is closed; more than any statement may take. None by default. */
  readonly silentMs?: number | undefined;
  /** Seconds after which a connection is exchanged for a new one: its process at the server keeps what it has read of the schema. Half an hour or more by default. */
  readonly lifeSeconds?: number | undefined;
  /** Milliseconds after which the server cancels a statement. None by default: it goes on even when nobody waits for it. */
  readonly statementMs?: number | undefined;
  /** True if statements find rows only by key: each connection plans them once, and never reads a whole table, however small. */
  readonly byKey?: boolean | undefined;
}

/**
 * A pool for a `postgres://` URL. Connects with the first statement, so an unreachable database shows there
 * (see `requireDatabase`). Timestamps come back as `Date`, `bigint` and `numeric` as strings.
 */
export const connect = (url: string, options: ConnectOptions = {}): Pool =>
  postgres(url, {
    ...(/[?&]prepare=false(&|$)/.test(url) && oneAtATime),
    max: options.max ?? 10,
    connect_timeout: 10,
    // Each holds some 10 MB at the server. What is asked each minute keeps its own: a new one costs as much time as a hundred statements.
    idle_timeout: 70,
    ...(options.lifeSeconds !== undefined && { max_lifetime: options.lifeSeconds }),
    backoff: reconnectPause,
    // The driver reads array types on each new connection in a promise that nobody handles: if the connection is cut then, the process ends.
    fetch_types: false,
    types: { uuids: arrayType(2951), texts: arrayType(1009), bigints: arrayType(1016) },
    onnotice: options.onNotice ?? (() => undefined),
    connection: {
      application_name: options.applicationName ?? "tidings",
      TimeZone: "UTC",
      ...(options.statementMs !== undefined && { statement_timeout: options.statementMs }),
      ...(options.byKey === true && byKeyPlans),
    },
    ...(options.silentMs !== undefined && { socket: createWatchedSockets(options.silentMs) }),
  });

/**
 * Without prepared statements the driver asks for each statement's parameters first, and a pooler by transaction may then take the end of the statement
 * before for the end of both: it gives the connection away, and the answer to somebody else. So none is sent before the one before has ended.
 */
const oneAtATime = { max_pipeline: 0 };

/** The time by the database's clock, which is comparable with times that the database has written. */
export const databaseNow = (sql: Sql) => scalar(sql<[{ now: Date }]>`select clock_timestamp() as now`);

/**
 * Planning for given parameters costs as much as the statement, each time. A kept plan must suit the table of tomorrow, so it uses indexes, and hash
 * joins, which are linear whatever the planner expects.
 */
const byKeyPlans = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_nestloop: "off",
  enable_mergejoin: "off",
  jit: "off",
};

/** Seconds before the next attempt to connect. The driver's own pause would grow to 20 s, longer than a request lives. */
const reconnectPause = (tries: number): number => Math.min(1, 0.05 * 2 ** tries);

/** The driver's options, as it passes them to a socket factory; only these are used here. */
interface Address {
  host: readonly string[];
  port: readonly number[];
  /** A Unix socket's path; falsy for TCP. */
  path: unknown;
}

/** The number of checks in each `silentMs`: enough to notice a silence soon, and few enough to cost nothing. */
const looksPerSilence = 4;

/**
 * Makes sockets that close after `silentMs` without data from the server. Such a connection is idle, and quickly opened again, or it was lost silently (a
 * failover, a dropped NAT entry): TCP would notice only after a quarter of an hour, and its pool would not recover before.
 */
export function createWatchedSockets(silentMs: number): (address: Address) => Socket {
  let turn = 0;
  return ({ host, port, path }) => {
    const socket = new Socket();
    const at = turn % Math.max(1, host.length);
    turn += 1;
    watch(socket, silentMs);
    if (typeof path === "string" && path !== "") return socket.connect(path);
    // The driver reads the name off the socket, to check the server's certificate.
    Object.assign(socket, { host: host[at], port: port[at] });
    return socket.connect(port[at] ?? 5432, host[at] ?? "localhost");
  };
}

/** Compares the socket's byte count, which also grows under TLS, where this socket's events are not emitted. */
function watch(socket: Socket, silentMs: number): void {
  let read = 0;
  let silentLooks = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) return clearInterval(timer);
    silentLooks = socket.bytesRead === read ? silentLooks + 1 : 0;
    read = socket.bytesRead;
    if (silentLooks > looksPerSilence) socket.destroy();
  }, silentMs / looksPerSilence);
  timer.unref();
}
