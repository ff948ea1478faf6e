import type { Pool, Sql } from "./connect.ts";

const RETRIABLE = new Set(["40001", "40P01"]);
const transactionAttempts = 4;

/**
 * Runs `fn` in one transaction and answers what it answers; rolls back when it throws. A serialization failure or
 * a deadlock starts it again, so `fn` must have no effect but its statements. Inside a transaction: a savepoint.
 */
export const inTransaction = async <T>(sql: Sql, fn: (sql: Sql) => Promise<T>): Promise<T> => {
  if (!isPool(sql)) return savepoint(sql, fn);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await sql.begin(fn)) as T;
    } catch (error) {
      if (attempt === transactionAttempts || !isRetriable(error)) throw error;
    }
  }
};

const isPool = (sql: Sql): sql is Pool => "begin" in sql;

const savepoint = async <T>(sql: Sql, fn: (sql: Sql) => Promise<T>): Promise<T> => {
  if (!("savepoint" in sql)) throw new TypeError("inTransaction needs a pool or a transaction");
  const transaction = sql as Sql & { savepoint: (run: (sql: Sql) => Promise<T>) => Promise<T> };
  return transaction.savepoint(fn);
};

const isRetriable = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && RETRIABLE.has(error.code);

/** Codes of the socket and of the driver: there is no connection, or it was lost, or it did not answer in time. */
const connectionCodes =
  /^(CONNECTION_[A-Z]+|CONNECT_TIMEOUT|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOENT|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

/**
 * SQLSTATEs of a server that cannot serve now: connection exceptions, invalid authorization, out of resources, shutting down or starting,
 * closed to connections, read-only after a failover, no such database yet, and conflicts with other transactions that outlived their retries.
 */
const sqlStates = /^(08...|28...|3D000|40001|40P01|53...|55000|55P03|57014|57P0.|25006|58...)$/;

/** Whether the statement failed because the database is not there at the moment, so that the same may well succeed later. */
export const isDatabaseAway = (error: unknown): boolean => {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return false;
  return connectionCodes.test(error.code) || sqlStates.test(error.code);
};

const collisionAttempts = 5;

/** Runs one statement again while it collides with somebody else's (deadlock, serialization failure), up to five times in all. */
export const retryCollisions = async <T>(statement: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await statement();
    } catch (error) {
      if (attempt === collisionAttempts || !isCollision(error)) throw error;
    }
  }
};

/** SQLSTATE 23505: a row with that key is there already. */
export const isUniqueViolation = (error: unknown): boolean => stateOf(error) === "23505";

/** A deadlock or a serialization failure: the same statement may well succeed next time. */
export const isCollision = (error: unknown): boolean => ["40P01", "40001"].includes(stateOf(error) ?? "");

/** SQLSTATE 55P03: `lock_timeout` ran out before the lock was to be had. */
export const isLockTimeout = (error: unknown): boolean => stateOf(error) === "55P03";

function stateOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

/** The database did not answer in time. What became of the statement is unknown. */
class DatabaseTimeout extends Error {
  override readonly name = "DatabaseTimeout";
  /** The code by which `isDatabaseAway` knows it. */
  readonly code = "ETIMEDOUT";
}

/** Waits for a statement, but not for ever: a connection that was cut silently never answers. */
export const within = <T>(ms: number, statement: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DatabaseTimeout(`no answer from the database within ${ms} ms`)), ms);
    statement.then(resolve, reject).finally(() => clearTimeout(timer));
  });
