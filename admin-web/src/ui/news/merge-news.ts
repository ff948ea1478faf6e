/** Rows of a list, newest first, and where the older ones go on. */
export interface Rows<Row> {
  items: Row[];
  nextCursor: string | null;
}

interface Known {
  id: string;
}

/** Pages that follow each other, as one. */
export const onePage = <Row>(pages: readonly Rows<Row>[]): Rows<Row> => ({
  items: pages.flatMap(({ items }) => items),
  nextCursor: pages.at(-1)?.nextCursor ?? null,
});

/** How many of the newest are not shown yet. `more`: there may be others between them and what is shown. */
export function countNews<Row extends Known>(shown: Rows<Row>, newest: Rows<Row>): { count: number; more: boolean } {
  const known = new Set(shown.items.map(({ id }) => id));
  const count = newest.items.filter(({ id }) => !known.has(id)).length;
  return { count, more: count > 0 && count === newest.items.length && newest.nextCursor !== null };
}

/** What is shown with the newest taken in: what fits the filters no longer is gone. Where others may lie between, it begins anew. */
export function takeNews<Row extends Known>(shown: Rows<Row>, newest: Rows<Row>): Rows<Row> {
  const oldest = newest.items.at(-1);
  if (oldest === undefined || newest.nextCursor === null || countNews(shown, newest).more) return newest;
  // Ids carry their time, so they say what is older.
  const older = shown.items.filter(({ id }) => id < oldest.id);
  return older.length === 0 ? newest : { items: [...newest.items, ...older], nextCursor: shown.nextCursor };
}

/** The same rows in the same places, each as it is by now. */
export function updateRows<Row extends Known>(shown: Rows<Row>, newest: Rows<Row>): Rows<Row> {
  const byId = new Map(newest.items.map((row) => [row.id, row]));
  return { ...shown, items: shown.items.map((row) => byId.get(row.id) ?? row) };
}
