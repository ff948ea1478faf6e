import fc from "fast-check";
import { expect, test } from "vitest";
import { createBatchSize } from "./batch-size.ts";

/** What a database does with full batches: `fixedMs` a statement and `eachMs` an item, given up after `limitMs`. */
function afterFullBatches(count: number, { fixedMs, eachMs, limitMs = Infinity }: { fixedMs: number; eachMs: number; limitMs?: number }) {
  const size = createBatchSize(250, 1000);
  for (let n = 0; n < count; n += 1) {
    const ms = fixedMs + size.most * eachMs;
    size.ended(size.most, Math.min(ms, limitMs), ms <= limitMs);
  }
  return size.most;
}

test("a quick database gets batches as large as allowed, after a few", () => {
  expect(afterFullBatches(2, { fixedMs: 1, eachMs: 0.1 })).toBe(250);
});

test("one that needs a while for each item gets batches that end in time", () => {
  const most = afterFullBatches(5, { fixedMs: 5, eachMs: 50, limitMs: 4000 });
  expect(most).toBeGreaterThanOrEqual(8);
  expect(5 + most * 50).toBeLessThanOrEqual(1000);
});

test("one that needs long for any statement still gets large ones", () => {
  expect(afterFullBatches(50, { fixedMs: 900, eachMs: 0.1 })).toBe(64);
});

test("small batches that end quickly say nothing of large ones", () => {
  const size = createBatchSize(250, 1000);
  for (let n = 0; n < 50; n += 1) size.ended(3, 2, true);
  expect(size.most).toBe(64);
});

test("statements that fail at once make none larger", () => {
  const size = createBatchSize(250, 1000);
  for (let n = 0; n < 50; n += 1) size.ended(64, 1, false);
  expect(size.most).toBe(64);
});

test("after one that took too long the next holds what would have been in time", () => {
  const size = createBatchSize(250, 1000);
  size.ended(64, 500, true);
  expect(size.most).toBe(64);
  size.ended(64, 2000, true);
  expect(size.most).toBe(32);
});

test("whatever happens, it stays within its bounds, and comes back when the database does", () => {
  const ended = fc.record({
    items: fc.integer({ min: 1, max: 250 }),
    ms: fc.double({ min: 0, max: 60_000, noNaN: true }),
    well: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(ended), (all) => {
      const size = createBatchSize(250, 1000);
      for (const { items, ms, well } of all) {
        size.ended(items, ms, well);
        expect(size.most).toBeGreaterThanOrEqual(8);
        expect(size.most).toBeLessThanOrEqual(250);
      }
      for (let n = 0; n < 5; n += 1) size.ended(size.most, 5, true);
      expect(size.most).toBe(250);
    }),
  );
});
