import type { Pool, Sql } from "./connect.ts";

const RETRIABLE = new Set(["40001", "40P01"]);
const ATTEMPTS = 4;

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
      if (attempt === ATTEMPTS || !isRetriable(error)) throw error;
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
