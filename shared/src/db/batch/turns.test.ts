import fc from "fast-check";
import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

interface Item {
  group: string;
  n: number;
}
const turnsOf = (items: Item[]) => {
  const turns = createTurns<Item>(({ group }) => group);
  for (const item of items) turns.add(item);
  return turns;
};
const takeMost = (most: number) => {
  let count = 0;
  return () => ((count += 1) <= most ? ("taken" as const) : ("full" as const));
};
const item = fc.record({ group: fc.constantFrom("a", "b", "c", "d"), n: fc.nat() });

test("nothing is lost, doubled or taken out of its group's order, however it is taken", () => {
  fc.assert(
    fc.property(fc.array(item), fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (items, sizes) => {
      const turns = turnsOf(items);
      const taken: Item[] = [];
      for (let i = 0; turns.size > 0; i += 1) taken.push(...turns.take(takeMost(sizes[i % sizes.length] ?? 1)));
      for (const group of ["a", "b", "c", "d"])
        expect(taken.filter((one) => one.group === group)).toEqual(items.filter((one) => one.group === group));
      expect(taken).toHaveLength(items.length);
    }),
  );
});

test("a group that brings much does not keep another waiting", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 2, max: 20 }), (flood, most) => {
      const turns = turnsOf([...Array.from({ length: flood }, (_, n) => ({ group: "a", n })), { group: "b", n: 0 }]);
      expect(turns.take(takeMost(most)).some(({ group }) => group === "b")).toBe(true);
    }),
  );
});

test("the group whose turn would have been next begins the next time", () => {
  const turns = turnsOf(["a", "a", "b", "b", "c", "c"].map((group, n) => ({ group, n })));
  expect(turns.take(takeMost(2)).map(({ group }) => group)).toEqual(["a", "b"]);
  expect(turns.take(takeMost(2)).map(({ group }) => group)).toEqual(["c", "a"]);
  expect(turns.take(takeMost(9)).map(({ group }) => group)).toEqual(["b", "c"]);
});

test("what has to wait keeps its place, and those behind it go on", () => {
  const turns = turnsOf([1, 2, 3, 4].map((n) => ({ group: "a", n })));
  expect(turns.take(({ n }) => (n === 1 ? "later" : "taken")).map(({ n }) => n)).toEqual([2, 3, 4]);
  expect([turns.size, turns.oldest("a")?.n, turns.oldest("b")]).toEqual([1, 1, undefined]);
});
