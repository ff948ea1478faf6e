import { doublingPause, retry } from "../server/retry.ts";
import type { Pool, Sql } from "./statement.ts";

const transactionAttempts = 4;

/**
 * Runs `fn` in one transaction and answers what it answers; rolls back when it throws. A collision (`isCollision`) starts it again, so `fn` must have no
 * effect except its statements. Within a transaction it becomes a part of it, without a savepoint: what throws there ends all of it.
 */
export const inTransaction = async <T>(sql: Sql, fn: (sql: Sql) => Promise<T>): Promise<T> =>
  isPool(sql) ? retryCollisions(async () => (await sql.begin(fn)) as T, transactionAttempts) : fn(sql);

/**
 * The same for work beside others: its locks are waited for more shortly than PostgreSQL waits before it looks for a deadlock, so that if two wait for each
 * other, this one gives way. It starts again then, for a quarter of a minute.
 */
export const inGivingTransaction = <T>(sql: Sql, fn: (sql: Sql) => Promise<T>): Promise<T> =>
  retry(
    () =>
      inTransaction(sql, async (transaction) => {
        await transaction`set local lock_timeout = '300ms'`;
        return await fn(transaction);
      }),
    { again: (error, attempt) => isLockTimeout(error) && attempt < 60, pauseMs: () => 250 },
  );

const isPool = (sql: Sql): sql is Pool => "begin" in sql;

/** Runs a statement, or a transaction, again while it collides with another; five times in all by default. */
export const retryCollisions = <T>(act: () => Promise<T>, attempts = 5): Promise<T> =>
  retry(act, { again: (error, attempt) => attempt < attempts && isCollision(error) });

/** Runs a statement without effect, or with the same however often it runs, again while the database is away; `mayPause` tells whether there is time for another pause. */
export const retryWhileAway = <T>(act: (attempt: number) => Promise<T>, mayPause: (pauseMs: number) => boolean): Promise<T> =>
  retry(act, { pauseMs: doublingPause, again: (error, _, pauseMs) => isDatabaseAway(error) && mayPause(pauseMs) });

/** Rejects with `DatabaseTimeout` when the statement has no answer after `ms`: a connection that was cut silently never answers. */
export const withTimeout = <T>(statement: Promise<T>, ms: number): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DatabaseTimeout(ms)), ms);
    // Settles without `finally`, which would make two more promises.
    statement.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });

/** The database did not answer within this many milliseconds. The statement may or may not have been committed. */
export class DatabaseTimeout extends Error {
  override readonly name = "DatabaseTimeout";
  /** The code by which `isDatabaseAway` recognizes the error. */
  readonly code = "ETIMEDOUT";

  readonly ms: number;

  constructor(ms: number) {
    super(`no answer from the database within ${Math.round(ms)} ms`);
    this.ms = ms;
  }
}

/** Whether the statement failed because the database cannot serve now, so that a later try may succeed. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  return connectionCodes.test(code) || sqlStates.test(code);
}

/** Codes of the socket and of the driver: there is no connection, or it was lost, or it did not answer in time. */
const connectionCodes =
  /^(CONNECTION_[A-Z]+|CONNECT_TIMEOUT|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOENT|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

/**
 * SQLSTATEs of a server that cannot serve now: connection exceptions, invalid authorization, out of resources, shutting down or starting,
 * closed to connections, read-only after a failover, no such database yet, and conflicts with other transactions that outlived their retries.
 */
const sqlStates = /^(08...|28...|3D000|40001|40P01|53...|55000|55P03|57014|57P0.|25006|58...)$/;

/** Whether the error is a deadlock or a serialization failure: another try may succeed. */
export const isCollision = (error: unknown): boolean => ["40P01", "40001"].includes(codeOf(error));

/** Whether the error says that a row with that key is there already. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === "23505";

/** Whether the error says that the lock was not free within `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === "55P03";

/** The code of an error of the database or of the connection to it; empty for other errors. */
export const codeOf = (error: unknown) => (error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "");
