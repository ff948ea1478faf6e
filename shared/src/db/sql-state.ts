/** SQLSTATE 23505: a row with that key is there already. */
export const isUniqueViolation = (error: unknown): boolean => stateOf(error) === "23505";

/** A deadlock or a serialization failure: the same statement may well succeed next time. */
export const isCollision = (error: unknown): boolean => ["40P01", "40001"].includes(stateOf(error) ?? "");

/** SQLSTATE 55P03: `lock_timeout` ran out before the lock was to be had. */
export const isLockTimeout = (error: unknown): boolean => stateOf(error) === "55P03";

function stateOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}
