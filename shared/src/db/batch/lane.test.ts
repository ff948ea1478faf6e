import fc from "fast-check";
import { expect, test, describe } from "vitest";
import { createLane, type LaneOptions, createTurns } from "./lane.ts";

describe("lane", () => {
  /** A lane whose batches end when the test says so. */
  function heldLane(options: Partial<LaneOptions<string, string>> = {}) {
    const batches: { items: string[]; end: (error?: Error) => void }[] = [];
    const lane = createLane<string, string>({
      maxItems: 100,
      lateMs: 0,
      splits: () => true,
      run: async (items) =>
        new Promise((resolve, reject) =>
          batches.push({ items, end: (error) => (error ? reject(error) : resolve(items.map((one) => `${one}!`))) }),
        ),
      ...options,
    });
    const underWay = async (count: number) => expect.poll(() => batches.length).toBe(count);
    return { lane, batches, underWay };
  }
  const names = (count: number) => Array.from({ length: count }, (_, n) => `item ${n}`);

  test("what arrives while a batch is under way makes the next one", async () => {
    const { lane, batches, underWay } = heldLane();
    const first = lane.add("a");
    await underWay(1);
    const rest = ["b", "c"].map(async (item) => lane.add(item));
    batches[0]?.end();
    await underWay(2);
    batches[1]?.end();
    expect(await Promise.all([first, ...rest])).toEqual(["a!", "b!", "c!"]);
    expect(batches.map(({ items }) => items)).toEqual([["a"], ["b", "c"]]);
  });

  test("a second batch starts beside the first once it is worth it, and only where that is allowed", async () => {
    for (const [atOnce, expected] of [
      [1, 1],
      [2, 2],
    ] as const) {
      const { lane, batches, underWay } = heldLane({ atOnce });
      const all = [lane.add("first")];
      await underWay(1);
      all.push(...names(7).map(async (item) => lane.add(item)));
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      expect(batches).toHaveLength(1);
      all.push(lane.add("the eighth"));
      await underWay(expected);
      batches[0]?.end();
      await underWay(2);
      batches[1]?.end();
      expect(await Promise.all(all)).toHaveLength(9);
    }
  });

  test("one that cannot be right fails alone: the batch is split until it stands by itself", async () => {
    const runs: string[][] = [];
    const lane = createLane<string, string>({
      maxItems: 100,
      splits: () => true,
      run: async (items) => {
        runs.push(items);
        if (items.includes("hostile")) throw new Error("invalid byte sequence");
        return items;
      },
    });
    const settled = await Promise.allSettled(["a", "b", "c", "hostile", "d", "e", "f"].map(async (item) => lane.add(item)));
    expect(settled.map(({ status }) => status)).toEqual([...Array(3).fill("fulfilled"), "rejected", ...Array(3).fill("fulfilled")]);
    expect(runs.filter((items) => items.includes("hostile")).at(-1)).toEqual(["hostile"]);
  });

  test("however many of one group's are wrong, the others' wait for few batches", async () => {
    let runs = 0;
    const lane = createLane<string, string>({
      maxItems: 100,
      groupOf: (item) => item.slice(0, 1),
      splits: () => true,
      run: async (items) => {
        runs += 1;
        if (items.some((item) => item.startsWith("h"))) throw new Error("invalid byte sequence");
        return items;
      },
    });
    const runsUntil = new Map<string, number>();
    const add = async (item: string) => lane.add(item).finally(() => runsUntil.set(item.slice(0, 1), runs));
    const settled = await Promise.allSettled(
      Array.from({ length: 25 }, (_, n) => ["a", "h", "b", "c"].map((group) => add(`${group}${n}`))).flat(),
    );
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(75);
    // The batch runs with all, then as two groups and two, then with the two that were beside the hostile one.
    expect(Math.max(runsUntil.get("a") ?? 0, runsUntil.get("b") ?? 0, runsUntil.get("c") ?? 0)).toBeLessThanOrEqual(5);
    expect(runsUntil.get("h")).toBe(5 + 2 * 24);
  });

  test("a fault that halves cannot mend fails the whole batch at once", async () => {
    let runs = 0;
    const run = async (): Promise<string[]> => {
      runs += 1;
      throw new Error("connection lost");
    };
    const lane = createLane<string, string>({ maxItems: 100, splits: () => false, run });
    const settled = await Promise.allSettled(names(5).map(async (item) => lane.add(item)));
    expect(settled.every(({ status }) => status === "rejected")).toBe(true);
    expect(runs).toBe(1);
  });

  test("keys never share a batch, sizes are kept to, and what is too large goes alone", async () => {
    const { lane, batches, underWay } = heldLane({
      keyOf: (item) => (item.startsWith("k") ? "k" : null),
      sizeOf: (item) => item.length,
      maxSize: 4,
    });
    const all = ["k1", "k2", "xx", "much too large", "y"].map(async (item) => lane.add(item));
    for (let i = 1; i <= 4; i += 1) {
      await underWay(i);
      batches[i - 1]?.end();
    }
    await Promise.all(all);
    expect(batches.map(({ items }) => items)).toEqual([["k1", "xx"], ["k2"], ["much too large"], ["y"]]);
  });

  test("tells how long the oldest of a group has been waiting", async () => {
    const { lane, batches, underWay } = heldLane({ groupOf: (item) => item.slice(0, 1) });
    const first = lane.add("a1");
    expect(lane.waitMs("b")).toBe(0);
    await underWay(1);
    const second = lane.add("b1");
    await expect.poll(() => lane.waitMs("b")).toBeGreaterThan(0);
    expect(lane.waitMs("a")).toBe(0);
    batches[0]?.end();
    await underWay(2);
    expect(lane.waitMs("b")).toBe(0);
    batches[1]?.end();
    await Promise.all([first, second]);
  });
});

describe("lane at once", () => {
  /** A lane whose batches end when the test says so; it may have this many under way. */
  function heldLane(atOnce: number, { maxItems = 100, lateMs = 0 } = {}) {
    const batches: { size: number; end: () => void }[] = [];
    const lane = createLane<string, string>({
      maxItems,
      atOnce,
      lateMs,
      splits: () => true,
      run: async (items) => new Promise((resolve) => batches.push({ size: items.length, end: () => resolve(items) })),
    });
    const add = (count: number) => Array.from({ length: count }, async () => lane.add("x"));
    const sizes = () => batches.map(({ size }) => size);
    return { lane, add, batches, sizes };
  }

  /** Waits until every batch that is about to start has started. */
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  };

  test.each([
    ["however many wait, one batch at once stays one", 1, {}],
    ["beside one that is not late, none begins", 2, { lateMs: Infinity }],
  ])("%s", async (_, atOnce, options) => {
    const { add, batches, sizes } = heldLane(atOnce, options);
    const all = add(1);
    await settled();
    all.push(...add(20));
    await settled();
    expect(sizes()).toEqual([1]);
    batches[0]?.end();
    await settled();
    expect(sizes()).toEqual([1, 20]);
    batches[1]?.end();
    await Promise.all(all);
  });

  test("two at once stay two, and the next begins when one of them ends", async () => {
    const { add, batches, sizes } = heldLane(2, { maxItems: 8 });
    const all = add(1);
    await settled();
    for (let n = 0; n < 3; n += 1) all.push(...add(8));
    await settled();
    expect(sizes()).toEqual([1, 8]);
    batches[1]?.end();
    await settled();
    expect(sizes()).toEqual([1, 8, 8]);
    batches[0]?.end();
    await settled();
    expect(sizes()).toEqual([1, 8, 8, 8]);
    for (const { end } of batches) end();
    await Promise.all(all);
  });

  test("the last few wait for the first batch rather than make a small one beside it", async () => {
    const { add, batches, sizes } = heldLane(2);
    const all = add(1);
    await settled();
    all.push(...add(8));
    await settled();
    all.push(...add(3));
    batches[1]?.end();
    await settled();
    expect(sizes()).toEqual([1, 8]);
    batches[0]?.end();
    await settled();
    expect(sizes()).toEqual([1, 8, 3]);
    batches[2]?.end();
    await Promise.all(all);
  });

  test("the wait of what waits is no longer than it has been there", async () => {
    const { lane, add, batches } = heldLane(1);
    const all = add(1);
    await settled();
    const since = performance.now();
    all.push(...add(1));
    await settled();
    const wait = lane.waitMs("");
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(performance.now() - since);
    batches[0]?.end();
    await settled();
    batches[1]?.end();
    await Promise.all(all);
  });
});

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
