import { expect, test } from "vitest";
import { createLane } from "./lane.ts";

/** A lane whose batches end when they are told to; it may have this many under way. */
function heldLane(atOnce: number, maxItems = 100) {
  const batches: { size: number; end: () => void }[] = [];
  const lane = createLane<string, string>({
    maxItems,
    atOnce,
    splits: () => true,
    run: async (items) => new Promise((resolve) => batches.push({ size: items.length, end: () => resolve(items) })),
  });
  const add = (count: number) => Array.from({ length: count }, async () => lane.add("x"));
  const sizes = () => batches.map(({ size }) => size);
  return { lane, add, batches, sizes };
}

/** Whatever is about to start has started then. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
};

test("however many wait, one batch at once stays one", async () => {
  const { add, batches, sizes } = heldLane(1);
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
  const { add, batches, sizes } = heldLane(2, 8);
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
