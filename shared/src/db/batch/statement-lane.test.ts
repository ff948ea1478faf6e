import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createStatementLane, createBatchSize } from "./lane.ts";

describe("statement lane", () => {
  const withCode = (code: string): Error => Object.assign(new Error(code), { code });

  /** A lane whose statements fail with the result of `fault`, and the items of its statements. */
  function laneWith(fault: (items: string[], statements: number) => Error | null, limitMs = 60_000) {
    const statements: string[][] = [];
    const lane = createStatementLane<string, string>({
      maxItems: 250,
      limitMs,
      run: async (items) => {
        statements.push(items);
        const error = fault(items, statements.length);
        if (error) throw error;
        return items.map((item) => `${item}!`);
      },
    });
    const addAll = async (...items: string[]) => Promise.allSettled(items.map(async (item) => lane.add(item)));
    return { addAll, statements };
  }

  const well = (value: string) => ({ status: "fulfilled", value });
  const failed = (reason: Error) => ({ status: "rejected", reason });

  describe("a statement that", () => {
    it.each(["40P01", "40001"])("collided (%s) is tried again as it is", async (code) => {
      const { addAll, statements } = laneWith((_, n) => (n < 3 ? withCode(code) : null));
      expect(await addAll("a", "b")).toEqual([well("a!"), well("b!")]);
      expect(statements).toEqual(Array(3).fill(["a", "b"]));
    });

    it("collided three times is split, and each part is tried as often", async () => {
      const error = withCode("40P01");
      const { addAll, statements } = laneWith((items) => (items.includes("a") ? error : null));
      expect(await addAll("a", "b")).toEqual([failed(error), well("b!")]);
      expect(statements).toEqual([...Array(3).fill(["a", "b"]), ...Array(3).fill(["a"]), ["b"]]);
    });

    it("holds a row that cannot be right is split at once", async () => {
      const error = withCode("22P05");
      const { addAll, statements } = laneWith((items) => (items.includes("a") ? error : null));
      expect(await addAll("a", "b")).toEqual([failed(error), well("b!")]);
      expect(statements).toEqual([["a", "b"], ["a"], ["b"]]);
    });

    it("found no database fails for all, once", async () => {
      const error = withCode("ECONNREFUSED");
      const { addAll, statements } = laneWith(() => error);
      expect(await addAll("a", "b")).toEqual([failed(error), failed(error)]);
      expect(statements).toEqual([["a", "b"]]);
    });

    it("is not answered in time fails as if there were no database", async () => {
      const lane = createStatementLane({ maxItems: 250, limitMs: 20, run: async () => new Promise<string[]>(() => undefined) });
      await expect(lane.add("a")).rejects.toMatchObject({ code: "ETIMEDOUT" });
    });
  });

  it("statements grow while the database is quick", async () => {
    const { addAll, statements } = laneWith(() => null);
    const items = Array.from({ length: 500 }, (_, n) => `item ${n}`);
    await addAll(...items);
    expect(statements.map(({ length }) => length)).toEqual([64, 128, 250, 58]);
  });

  it("and shrink after one that took too long for its size", async () => {
    let hangs = true;
    const lengths: number[] = [];
    const lane = createStatementLane<string, string>({
      maxItems: 250,
      limitMs: 60,
      run: async (items) => {
        lengths.push(items.length);
        return hangs ? new Promise(() => undefined) : items;
      },
    });
    const items = Array.from({ length: 64 }, (_, n) => `item ${n}`);
    await Promise.allSettled(items.map(async (item) => lane.add(item)));
    hangs = false;
    await Promise.allSettled(items.map(async (item) => lane.add(item)));
    expect(lengths.slice(0, 2)).toEqual([64, expect.toSatisfy((length: number) => length < 64)]);
  });
});

describe("batch size", () => {
  /** Plays a database with full batches: each statement takes `fixedMs`, and `eachMs` for each item, and is given up after `limitMs`. */
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
});
