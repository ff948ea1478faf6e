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
