import { Socket } from "node:net";
import postgres from "postgres";

/** The database's clock: the only one to compare with what the database has written. */
export async function databaseNow(sql: Sql): Promise<Date> {
  const [row] = await sql<[{ now: Date }]>`select clock_timestamp() as now`;
  return row.now;
}

/** What a statement needs: a pool or a transaction, whichever the caller holds. */
export type Sql = postgres.ISql<Record<never, never>>;

/** Connections to one database, opened as they are needed. `end()` closes them. */
export type Pool = postgres.Sql<Record<never, never>>;

export interface ConnectOptions {
  /** Most connections at once. */
  readonly max?: number | undefined;
  /** How `pg_stat_activity` names us. */
  readonly applicationName?: string | undefined;
  readonly onNotice?: ((notice: postgres.Notice) => void) | undefined;
  /** Milliseconds after which a connection on which nothing comes is closed: longer than any statement may take. Else it is waited for. */
  readonly silentMs?: number | undefined;
  /** Milliseconds after which the server gives a statement up. Else it goes on, also when nobody waits for it any more. */
  readonly statementMs?: number | undefined;
  /** For statements that find their rows by key alone: planned once a connection, and never by reading a table that was small at that moment. */
  readonly byKey?: boolean | undefined;
}

/**
 * A pool for a `postgres://` URL. Connects with the first statement, so an unreachable database shows there
 * (see `requireDatabase`). Timestamps come back as `Date`, `bigint` and `numeric` as strings.
 */
export const connect = (url: string, options: ConnectOptions = {}): Pool =>
  postgres(url, {
    max: options.max ?? 10,
    connect_timeout: 10,
    backoff: reconnectPause,
    // The driver would look array types up on each new connection, in a promise that nobody handles: one that is cut just then ends the process.
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
 * A plan made for the parameters at hand is thrown away with them, and costs as much as the statement. One that is kept must suit the table of
 * tomorrow: hence by index, and joined by hash, which is linear whatever the planner expects.
 */
const byKeyPlans = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_nestloop: "off",
  enable_mergejoin: "off",
  jit: "off",
};

/** Seconds before another try to connect. The driver's own grow to 20 s, and a request lives for 15. */
const reconnectPause = (tries: number): number => Math.min(1, 0.05 * 2 ** tries);

/** Takes an array of texts as a parameter of the array type with that oid, as in `id = any(${ids}::uuid[])`. Results hold no arrays. */
const arrayType = (oid: number) => ({
  to: oid,
  from: [oid],
  serialize: (items: readonly (string | null)[]): string => `{${items.map(element).join(",")}}`,
  parse: (text: string): string => text,
});

/** Of these characters JSON escapes those that an array escapes, and in the same way, in a fifth of the time. */
const ALIKE_IN_JSON = /^[ -\ud7ff\ue000-\uffff]*$/;

function element(text: string | null): string {
  if (text === null) return "NULL";
  return ALIKE_IN_JSON.test(text) ? JSON.stringify(text) : `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** What the driver hands to a socket factory: its own options, of which only these matter here. */
interface Address {
  host: readonly string[];
  port: readonly number[];
  /** A Unix socket's path; falsy for TCP. */
  path: unknown;
}

/** Fine enough that a silence is noticed soon after its time, coarse enough to cost nothing. */
const looksPerSilence = 4;

/**
 * Makes sockets that close themselves when nothing has come from the server for `silentMs`. Such a connection is idle, and quickly made again, or it
 * was lost without a word (a failover, a dropped NAT entry): then it would take statements for a quarter of an hour, and a pool of such never recovers.
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

/** By the handle's own count, which goes on under TLS, where this socket's events do not. */
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
