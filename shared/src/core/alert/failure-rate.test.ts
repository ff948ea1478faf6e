import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { judgeFailureRate, type Outcomes } from "./failure-rate.ts";

const day = (failed: number, total = 1000): Outcomes => ({ failed, total });
const usual = (percent: number): Outcomes[] => Array.from({ length: 14 }, () => day(percent * 10));
const isHigh = (failed: number, total: number, days: Outcomes[], wasHigh = false, atLeast = 0.1): boolean =>
  judgeFailureRate({ failed, total }, days, atLeast, wasHigh).isHigh;

test.each([
  ["ten in a hundred where two are usual", 10, 100, usual(2), true],
  ["nine in a hundred, below the bound", 9, 100, usual(2), false],
  ["thirty in a hundred where thirty are usual", 30, 100, usual(30), false],
  ["all where half are usual", 100, 100, usual(50), true],
  ["eighty in a hundred where half are usual", 80, 100, usual(50), true],
  ["seventy in a hundred where half are usual", 70, 100, usual(50), false],
  ["nineteen of nineteen, which are too few", 19, 19, usual(2), false],
  ["four of twenty, which may be chance", 4, 20, usual(2), false],
  ["twelve of twenty", 12, 20, usual(2), true],
  ["fifteen in a hundred where nothing is known", 15, 100, [], true],
  ["eleven in a hundred where nothing is known, which may be chance", 11, 100, [], false],
  ["after one bad day among good ones", 12, 100, [...usual(1), day(1000)], true],
  ["none of none", 0, 0, usual(2), false],
])("%s", (_name, failed, total, days, high) => {
  expect(isHigh(failed, total, days)).toBe(high);
});

test.each([
  ["stays so a little below the bound", 9, 100, true],
  ["ends clearly below it", 7, 100, false],
  ["stays so of too few messages, some of which fail", 1, 10, true],
  ["ends when none fails", 0, 10, false],
  ["ends when none comes", 0, 0, false],
])("what was high %s", (_name, failed, total, high) => {
  expect(isHigh(failed, total, usual(2), true)).toBe(high);
});

const outcomes = (most: number) => fc.nat(most).chain((total) => fc.nat(total).map((failed): Outcomes => ({ failed, total })));
const days = fc.array(outcomes(5_000), { maxLength: 28 });
const atLeast = fc.integer({ min: 1, max: 100 }).map((percent) => percent / 100);

describe("whatever the messages", () => {
  it("more failures never make it less high", () => {
    fc.assert(
      fc.property(outcomes(2_000), fc.nat(2_000), days, atLeast, fc.boolean(), ({ failed, total }, more, past, bound, wasHigh) => {
        const worse = Math.min(total, failed + more);
        return !isHigh(failed, total, past, wasHigh, bound) || isHigh(worse, total, past, wasHigh, bound);
      }),
    );
  });

  it("what raises it does not end it, so that the same messages never do both by turns", () => {
    fc.assert(
      fc.property(outcomes(2_000), days, atLeast, ({ failed, total }, past, bound) => {
        return !isHigh(failed, total, past, false, bound) || isHigh(failed, total, past, true, bound);
      }),
    );
  });

  it("too few of them never raise it, nor do rates below the bound", () => {
    fc.assert(
      fc.property(outcomes(2_000), days, atLeast, ({ failed, total }, past, bound) => {
        return (total >= 20 && failed >= bound * total) || !isHigh(failed, total, past, false, bound);
      }),
    );
  });

  it("between the two bounds it stays as it is", () => {
    const rates = fc.tuple(fc.integer({ min: 10, max: 100 }), fc.integer({ min: 80, max: 99 }), fc.integer({ min: 500, max: 5_000 }));
    fc.assert(
      fc.property(rates, fc.boolean(), ([bound, part, total], wasHigh) => {
        const failed = Math.floor((bound / 100) * (part / 100) * total);
        return isHigh(failed, total, [], wasHigh, bound / 100) === wasHigh;
      }),
    );
  });
});
