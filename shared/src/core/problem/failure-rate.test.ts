import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { type DayOutcomes, judgeFailureRate } from "./failure-rate.ts";

const day = (failed: number, total = 1000, daysAgo = 1): DayOutcomes => ({ failed, total, daysAgo });
/** Fourteen days with this rate, unless another number is given. */
const usual = (percent: number, days = 14, total = 1000): DayOutcomes[] =>
  Array.from({ length: days }, (_, ago) => day((percent / 100) * total, total, ago + 1));
const isHigh = (failed: number, total: number, days: DayOutcomes[], wasHigh = false, atLeast = 0.1): boolean =>
  judgeFailureRate({ failed, total, more: false }, days, atLeast, wasHigh).isHigh;
const usualOf = (days: DayOutcomes[]) => judgeFailureRate({ failed: 1, total: 1, more: false }, days, 0.1, false).usual;

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
  ["half of twenty where nothing is known", 10, 20, [], true],
  ["nine of twenty where nothing is known", 9, 20, [], false],
  ["all of nineteen where nothing is known", 19, 19, [], false],
  ["forty in a hundred after six days with two", 40, 100, usual(2, 6), false],
  ["ten in a hundred after seven days with two", 10, 100, usual(2, 7), true],
  ["after one bad day among good ones", 12, 100, [...usual(1), day(1000)], true],
  ["none of none", 0, 0, usual(2), false],
])("%s", (_name, failed, total, days, high) => {
  expect(isHigh(failed, total, days)).toBe(high);
});

test("the usual rate is known from seven days of history on, and never made up", () => {
  expect(usualOf([])).toBeNull();
  expect(usualOf(usual(2, 6))).toBeNull();
  expect(usualOf(usual(2, 7))).toBe(0.02);
  // A first day long ago, and silence since.
  expect(usualOf([day(1, 10, 20)])).toBeNull();
  // Few messages a day: all of them together.
  expect(usualOf([...usual(0, 2, 10), day(5, 10, 9)])).toBeCloseTo(1 / 6);
});

test("a bound of more than half holds before there is a history too", () => {
  expect(isHigh(70, 100, [], false, 0.8)).toBe(false);
  expect(isHigh(80, 100, [], false, 0.8)).toBe(true);
});

test("what was high stays so while only messages that wait were looked at", () => {
  expect(judgeFailureRate({ failed: 0, total: 3, more: true }, usual(2), 0.1, true).isHigh).toBe(true);
  expect(judgeFailureRate({ failed: 0, total: 3, more: true }, usual(2), 0.1, false).isHigh).toBe(false);
});

test.each(data<[string, number, number, boolean][]>("core-problem-failure-rate", "what was high s"))(
  "what was high %s",
  (_name, failed, total, high) => {
    expect(isHigh(failed, total, usual(2), true)).toBe(high);
  },
);

const outcomes = (most: number) => fc.nat(most).chain((total) => fc.nat(total).map((failed) => ({ failed, total })));
const days = fc.array(
  fc.tuple(outcomes(5_000), fc.nat(28)).map(([each, daysAgo]) => ({ ...each, daysAgo })),
  { maxLength: 28 },
);
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
    const rates = fc.tuple(fc.integer({ min: 50, max: 100 }), fc.integer({ min: 80, max: 99 }), fc.integer({ min: 500, max: 5_000 }));
    fc.assert(
      fc.property(rates, fc.boolean(), ([bound, part, total], wasHigh) => {
        const failed = Math.floor((bound / 100) * (part / 100) * total);
        return isHigh(failed, total, [], wasHigh, bound / 100) === wasHigh;
      }),
    );
  });
});
