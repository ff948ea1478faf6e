import { expect, test } from "vitest";
import { testDatabase } from "../../../../test/support/database.ts";
import { movedTables } from "./rows.ts";
import tables from "./tables.json" with { type: "json" };

test("every table moves, or says why not", async () => {
  await using database = await testDatabase();
  const stored = await database.sql<{ name: string }[]>`
    select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;
  const listed = [...movedTables.map(({ table }) => table), ...Object.keys({ ...tables.apart, ...tables.left })];
  expect([...new Set(listed)].toSorted()).toEqual(stored.map(({ name }) => name).toSorted());
  const parents = await database.sql<{ child: string; parent: string; holds: boolean }[]>`
    select conrelid::regclass::text as child, confrelid::regclass::text as parent, confdeltype in ('a', 'r') as holds
    from pg_constraint where contype = 'f' and conparentid = 0`;
  const order = movedTables.map(({ table }) => table);
  const isLate = ({ child, parent }: (typeof parents)[number]): boolean =>
    order.includes(child) && order.indexOf(parent) > order.indexOf(child);
  expect(parents.filter(isLate)).toEqual([]);
  const holders = movedTables.flatMap(({ table: parent, heldBy: child }) => (child === undefined ? [] : [{ child, parent, holds: true }]));
  expect(parents.filter(({ holds }) => holds)).toEqual(holders);
});
