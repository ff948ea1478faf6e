/** The first row that a statement answers; undefined without one, unless the type says that it always answers one. */
export function one<Row>(query: PromiseLike<readonly [Row]>): Promise<Row>;
export function one<Row>(query: PromiseLike<readonly Row[]>): Promise<Row | undefined>;
export async function one(query: PromiseLike<readonly unknown[]>): Promise<unknown> {
  return (await query)[0];
}

/** The value of a statement with one column: that of its first row. */
export function scalar<Row extends object>(query: PromiseLike<readonly [Row]>): Promise<Row[keyof Row]>;
export function scalar<Row extends object>(query: PromiseLike<readonly Row[]>): Promise<Row[keyof Row] | undefined>;
export async function scalar(query: PromiseLike<readonly object[]>): Promise<unknown> {
  return (await scalars(query))[0];
}

/** The values of a statement with one column. */
export const scalars = async <Row extends object>(query: PromiseLike<readonly Row[]>): Promise<Row[keyof Row][]> =>
  (await query).map((row) => Object.values(row)[0] as Row[keyof Row]);

/** Whether a statement answers any row. */
export const hasRows = async (query: PromiseLike<readonly unknown[]>): Promise<boolean> => (await query).length > 0;

/** How many rows a statement has changed. */
export const changedRows = async (query: PromiseLike<{ readonly count: number }>): Promise<number> => (await query).count;
